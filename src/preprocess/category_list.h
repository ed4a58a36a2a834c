#pragma once

/// The categories of a column, in the order of their one-hot columns.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/column.h"
#include "dpfermi/core/result.h"
#include "dpfermi/privacy/adjacency.h"
#include "privacy/provenance.h"

namespace dpfermi {

struct CategoryList {
  /// The category that stands for "no value" where missing values are kept.
  static constexpr const char* kMissingName = "(missing)";

  std::vector<std::string> values;
  Provenance provenance = Provenance::kGiven;
};

/// The declared values, or those present in `rows`, sorted, which needs an adjacency that treats
/// features as public.
/// `keep_missing` adds kMissingName: always for a declared list, otherwise when
/// a value is missing in `rows`.
Result<CategoryList> fit_categories(const std::string& name, const CategoryColumn& column,
                                    std::span<const std::uint32_t> rows,
                                    const std::vector<std::string>& declared, bool keep_missing,
                                    Adjacency adjacency);

}  // namespace dpfermi
