#pragma once

/// The protected attribute s as one variable: every combination of the values of the protected
/// columns is a group, and undeclared or missing values form the group "other". The list of groups
/// follows from the declaration alone, so that the shape of a model never depends on who is in the
/// data.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dpfermi/core/result.h"

namespace dpfermi {

class GroupDomain {
 public:
  struct Attribute {
    std::string column;
    std::vector<std::string> values;
    std::optional<std::uint32_t> other;  ///< index of the value that stands in for undeclared ones
  };

  GroupDomain() = default;

  /// Fails when the product has more than 65,534 groups.
  static Result<GroupDomain> create(std::vector<Attribute> attributes, bool declared);

  /// k, the number of groups, "other" included where there is one.
  std::size_t size() const { return names_.size(); }

  /// Groups of declared values: k, or k - 1 where there is "other".
  std::size_t named() const { return named_; }

  /// "Male", "Male/White", ..., "other".
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<Attribute>& attributes() const { return attributes_; }

  /// False when the values were taken from the table: statements then say "treated as public".
  bool declared() const { return declared_; }

  /// The group of one record, given the index of its value in each attribute; any number past the
  /// end of an attribute's values means undeclared or missing.
  std::uint16_t group_of(std::span<const std::uint32_t> values) const;

 private:
  std::vector<Attribute> attributes_;
  std::vector<std::string> names_;
  std::size_t named_ = 0;
  bool declared_ = true;
};

}  // namespace dpfermi
