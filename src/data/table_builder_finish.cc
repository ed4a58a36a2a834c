// From what the builders hold to a Table: groups, persons, the completed schema.

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "data/table_builder.h"

namespace dpfermi {

/// Keys are public as ids are; that nobody is found is a mistake in the keys, whatever s is.
Status TableBuilder::check_join() {
  std::size_t absent = 0;
  for (std::size_t row = 0; row < rows_; ++row) {
    absent += join_rows_[row] == LevelTable::kAbsent ? 1 : 0;
  }
  if (absent == rows_ && features_are_public(schema_.adjacency)) {
    return failed(
        fmt::format("{}: no value of '{}' occurs in {}; write the keys alike in both files",
                    origin_, schema_.join, schema_.sensitive_file));
  }
  for (SensitiveBuilder& column : joined_->columns) {
    if (absent > 0) column.expect_undeclared();
  }
  return {};
}

/// A value of s that counts for several units would be protected as if it were one of many.
Status TableBuilder::check_keys_belong_to_persons(const std::vector<std::uint32_t>& units) const {
  std::vector<std::uint32_t> unit_of(joined_->keys.size(), LevelTable::kAbsent);
  for (std::size_t row = 0; row < rows_; ++row) {
    const std::uint32_t key = join_rows_[row];
    if (key == LevelTable::kAbsent) continue;
    if (unit_of[key] == LevelTable::kAbsent) unit_of[key] = units[row];
    if (unit_of[key] != units[row]) {
      return failed(
          fmt::format("{}: rows with the same '{}' have different '{}', so that one sensitive "
                      "value would count "
                      "for several units; use `id` '{}'",
                      origin_, schema_.join, schema_.id, schema_.join));
    }
  }
  return {};
}

Status TableBuilder::check_several_classes(const Labels& labels) const {
  std::vector<bool> present(labels.classes.size());
  for (const std::uint16_t y : labels.y) present[y] = true;
  if (std::ranges::count(present, true) >= 2) return {};
  const auto only = std::ranges::find(present, true) - present.begin();
  return failed(fmt::format(
      "{}: the target column '{}' has one class ('{}'); a classifier needs at least two", origin_,
      schema_.target.column, printable(labels.classes[static_cast<std::size_t>(only)])));
}

Status TableBuilder::finish_groups(Table& table) {
  if (schema_.sensitive.empty()) return {};
  if (joined_) DPFERMI_TRY(check_join());
  std::vector<SensitiveBuilder>& columns = joined_ ? joined_->columns : sensitive_;
  std::vector<GroupDomain::Attribute> attributes;
  bool declared = true;
  for (SensitiveBuilder& column : columns) {
    DPFERMI_ASSIGN(GroupDomain::Attribute attribute, column.finish());
    attributes.push_back(std::move(attribute));
    declared &= column.declared();
  }
  DPFERMI_ASSIGN(table.domain, GroupDomain::create(std::move(attributes), declared));
  std::vector<std::uint16_t> groups(rows_);
  std::vector<std::uint32_t> values(columns.size());
  for (std::size_t row = 0; row < rows_; ++row) {
    const std::size_t source = joined_ ? join_rows_[row] : row;
    for (std::size_t a = 0; a < columns.size(); ++a) {
      values[a] = source == LevelTable::kAbsent ? CodeVector::kMissing : columns[a].code(source);
    }
    groups[row] = table.domain.group_of(values);
  }
  table.groups = Protected(std::move(groups));
  return {};
}

void TableBuilder::complete_schema(Table& table) const {
  table.schema = schema_;
  for (const Column& column : table.features) {
    const bool numeric = std::holds_alternative<NumericColumn>(column.data);
    table.schema.columns[column.name].type =
        numeric ? ColumnType::kNumeric : ColumnType::kCategorical;
  }
  std::erase_if(table.schema.columns, [](const auto& entry) {
    const ColumnSpec& spec = entry.second;
    return !spec.type && spec.values.empty() && !spec.bounds && spec.recode.empty();
  });
}

Result<Table> TableBuilder::finish() && {
  Table table;
  table.rows = rows_;
  table.rows_dropped = rows_dropped_;
  if (rows_ == 0) {
    return failed(
        rows_dropped_ == 0
            ? fmt::format("{}: has a header but no rows", origin_)
            : fmt::format("{}: every row has a missing value; {}", origin_,
                          use_ == TableUse::kApply ? "fill some in" : "use `missing` category"));
  }
  if (labels_) {
    DPFERMI_ASSIGN(table.labels, std::move(*labels_).finish(origin_, schema_.adjacency));
    if (use_ == TableUse::kFit && features_are_public(schema_.adjacency)) {
      DPFERMI_TRY(check_several_classes(table.labels));
    }
  }
  DPFERMI_TRY(finish_groups(table));
  for (Feature& feature : features_) {
    Column column{.name = feature.name, .data = {}};
    std::visit([&](auto& builder) { column.data = std::move(builder).finish(); }, feature.values);
    table.features.push_back(std::move(column));
  }
  if (ids_) {
    const CategoryColumn ids = std::move(*ids_).finish();
    LevelTable present;
    for (std::size_t row = 0; row < rows_; ++row) {
      table.units.push_back(present.insert(ids.levels[ids.codes[row]]));
    }
    table.unit_count = present.size();
    table.unit_names = present.levels();
    if (joined_) DPFERMI_TRY(check_keys_belong_to_persons(table.units));
  } else {
    table.unit_count = rows_;
  }
  if (images_) {
    const CategoryColumn images = std::move(*images_).finish();
    for (std::size_t row = 0; row < rows_; ++row) {
      table.images.push_back(images.levels[images.codes[row]]);
    }
  }
  complete_schema(table);
  return table;
}

}  // namespace dpfermi
