#include "objective/fairness_setting.h"

#include <algorithm>

#include "core/text.h"

namespace dpfermi {

std::vector<std::uint32_t> FairnessSetting::condition_by_label() const {
  std::vector<std::uint32_t> conditions_of(classes);
  for (std::size_t y = 0; y < classes; ++y) {
    conditions_of[y] =
        static_cast<std::uint32_t>(condition_of(notion, y, favourable).value_or(conditions()));
  }
  return conditions_of;
}

std::vector<std::size_t> FairnessSetting::labels_of(std::size_t condition) const {
  std::vector<std::size_t> labels;
  for (std::size_t y = 0; y < classes; ++y) {
    if (condition_of(notion, y, favourable) == condition) labels.push_back(y);
  }
  return labels;
}

bool FairnessSetting::unconditional() const {
  if (conditions() != 1) return false;
  for (std::size_t y = 0; y < classes; ++y) {
    if (!condition_of(notion, y, favourable)) return false;
  }
  return true;
}

bool FairnessSetting::refines(const FairnessSetting& other) const {
  for (std::size_t a = 0; a < classes; ++a) {
    const auto own = condition_of(notion, a, favourable);
    const auto wanted = condition_of(other.notion, a, other.favourable);
    if (wanted && !own) return false;
    for (std::size_t b = 0; b < a; ++b) {
      const bool together = condition_of(notion, b, favourable) == own;
      if (together && condition_of(other.notion, b, other.favourable) != wanted) return false;
    }
  }
  return true;
}

std::vector<std::size_t> FairnessSetting::parts_of(const FairnessSetting& other,
                                                   std::size_t c) const {
  const std::vector<std::uint32_t> own = condition_by_label();
  std::vector<std::size_t> parts;
  for (const std::size_t y : other.labels_of(c)) {
    if (std::ranges::find(parts, own[y]) == parts.end()) parts.push_back(own[y]);
  }
  return parts;
}

std::string FairnessSetting::among(std::size_t condition,
                                   std::span<const std::string> class_names) const {
  if (unconditional()) return "";
  std::vector<std::string> names;
  for (const std::size_t y : labels_of(condition)) names.push_back(class_names[y]);
  return " among " + listed(names, " or ");
}

}  // namespace dpfermi
