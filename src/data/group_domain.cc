#include "data/group_domain.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace dpfermi {

Result<GroupDomain> GroupDomain::create(std::vector<Attribute> attributes, bool declared) {
  constexpr std::size_t kMaxGroups = std::numeric_limits<std::uint16_t>::max() - 1;
  GroupDomain domain;
  domain.declared_ = declared;
  domain.names_ = {""};
  for (const Attribute& attribute : attributes) {
    if (attribute.values.empty() || domain.names_.size() > kMaxGroups / attribute.values.size()) {
      return failed(
          fmt::format("the sensitive attribute has {} groups; declare fewer values or use bins",
                      attribute.values.empty() ? "no" : "more than 65,534"));
    }
    std::vector<std::string> product;
    for (const std::string& prefix : domain.names_) {
      for (const std::string& value : attribute.values) {
        product.push_back(prefix.empty() ? value : prefix + "/" + value);
      }
    }
    domain.names_ = std::move(product);
  }
  const bool needs_other =
      std::ranges::any_of(attributes, [](const Attribute& a) { return !a.other.has_value(); });
  if (attributes.empty()) domain.names_.clear();
  domain.named_ = domain.names_.size();
  if (needs_other) domain.names_.emplace_back("other");
  domain.attributes_ = std::move(attributes);
  return domain;
}

std::uint16_t GroupDomain::group_of(std::span<const std::uint32_t> values) const {
  std::size_t group = 0;
  for (std::size_t a = 0; a < attributes_.size(); ++a) {
    std::size_t value = values[a];
    if (value >= attributes_[a].values.size()) {
      if (!attributes_[a].other) return static_cast<std::uint16_t>(names_.size() - 1);
      value = *attributes_[a].other;
    }
    group = group * attributes_[a].values.size() + value;
  }
  return static_cast<std::uint16_t>(group);
}

}  // namespace dpfermi
