#include "preprocess/category_list.h"

#include <fmt/format.h>

#include <algorithm>

namespace dpfermi {

Result<CategoryList> fit_categories(const std::string& name, const CategoryColumn& column,
                                    std::span<const std::uint32_t> rows,
                                    const std::vector<std::string>& declared, bool keep_missing,
                                    Adjacency adjacency) {
  if (!declared.empty()) {
    CategoryList list{declared, Provenance::kGiven};
    if (keep_missing) list.values.emplace_back(CategoryList::kMissingName);
    return list;
  }
  if (!features_are_public(adjacency)) {
    return usage_error(fmt::format(
        "the categories of '{0}' would be read from protected data under adjacency {1}; "
        "declare them, for example `columns.values` '{0}=a,b,c'",
        name, to_string(adjacency)));
  }
  std::vector<bool> present(column.levels.size());
  bool any_missing = false;
  for (const std::uint32_t row : rows) {
    const std::uint32_t code = column.codes[row];
    if (code == CodeVector::kMissing) {
      any_missing = true;
    } else {
      present[code] = true;
    }
  }
  CategoryList list{{}, Provenance::kPublic};
  for (std::size_t i = 0; i < present.size(); ++i) {
    if (present[i]) list.values.push_back(column.levels[i]);
  }
  std::ranges::sort(list.values);
  if (keep_missing && any_missing) list.values.emplace_back(CategoryList::kMissingName);
  return list;
}

}  // namespace dpfermi
