#pragma once

/// The target column: from texts or numbers to class indices.

#include <string>
#include <string_view>
#include <variant>

#include "data/column_builder.h"
#include "data/table.h"

namespace dpfermi {

class LabelBuilder {
 public:
  /// Whether the target is read as a number: it has bins, or its positive value is a threshold.
  static bool is_numeric(const TargetSpec& target, bool column_looks_numeric);

  LabelBuilder(const MissingMarkers* markers, TargetSpec target, bool numeric,
               std::map<std::string, std::string> recode);

  Cell push(std::string_view text);
  Status append(const ColumnBlock& column, const OddCell& odd);
  void start_source();
  void drop(std::span<const std::uint32_t> rows);  ///< ascending
  void reserve(std::size_t rows);

  /// `origin` names the file in messages. Labels are public under adjacency `sensitive`; otherwise
  /// what would be computed from them (class list, median) must have been declared.
  Result<Labels> finish(const std::string& origin, Adjacency adjacency) &&;

 private:
  Result<Labels> from_categories(const std::string& origin, Adjacency adjacency);
  Result<Labels> from_numbers(const std::string& origin, Adjacency adjacency);
  Result<double> threshold(const std::string& origin, Adjacency adjacency) const;
  Status find_positive(Labels& labels) const;

  TargetSpec target_;
  std::variant<NumericBuilder, CategoryBuilder> values_;
};

}  // namespace dpfermi
