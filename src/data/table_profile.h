#pragma once

/// A look at the public part of a table, column by column: what is frequent, what is missing, and
/// what is probably not a feature as it stands. profile() never reads s. Where records are
/// protected the result is for their holder.

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/table.h"

namespace dpfermi {

/// More categories than this, undeclared, are a sign of a name or a code rather than a feature.
inline constexpr std::size_t kMaxInferredCategories = 4096;

/// Whether an undeclared column with so many values is taken for a name, a date or a code: training
/// refuses it.
bool too_many_categories(std::size_t categories, std::size_t rows);

struct ColumnProfile {
  std::string name;
  std::size_t missing = 0;
  std::size_t distinct = 0;  ///< of the values that are present
  /// The most frequent categories and their rows, three at most; empty for numbers.
  std::vector<std::pair<std::string, std::size_t>> frequent;
  /// What looks odd and the setting that settles it, one phrase each.
  std::vector<std::string> remarks;
  bool drop = false;         ///< what the remarks suggest first: to leave the column out
  bool categorical = false;  ///< to read its numbers as categories
};

struct TableProfile {
  std::vector<std::size_t> class_rows;  ///< by class; empty without a target
  std::size_t copies = 0;  ///< rows that equal an earlier one in all features and the label
  std::vector<ColumnProfile> columns;
};

/// Remarks follow from fixed rules: constants; integers or texts that differ in every row
/// (identifiers); whole numbers whose order says nothing about the target though the values
/// themselves do (codes); dates; free text; more than a hundred categories; a column that
/// predicts the target nearly without error by itself (a copy of it, or a leak), or a value of
/// which decides the class of many rows (known only afterwards).
TableProfile profile(const Table& table);

/// Features that tell the group of nearly every row by themselves, and so are a copy of s. `groups`
/// are read exactly, by the holder of the data, and so is the result for the holder alone.
std::vector<std::string> near_copies_of_groups(const Table& table,
                                               std::span<const std::uint16_t> groups);

}  // namespace dpfermi
