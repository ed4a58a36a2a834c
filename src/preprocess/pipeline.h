#pragma once

/// From a Table to numbers: fit on the training rows, apply to any table with the same columns.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "data/table.h"
#include "dpfermi/core/result.h"
#include "preprocess/category_list.h"
#include "preprocess/standardizer.h"

namespace dpfermi {

/// A number becomes one column, and one more ("age=(missing)") where its absence is a category.
struct NumericFeature {
  std::string column;
  Standardizer standardizer;
  bool missing_indicator = false;
};

/// A category becomes one column per value, exactly one of which is 1; none for an unseen value.
struct CategoryFeature {
  std::string column;
  CategoryList categories;
};

/// Values that had no column to go to, by feature.
struct UnseenCount {
  std::string column;
  std::uint64_t cells;
};

struct EncodedDataset {
  Dataset data;
  std::vector<UnseenCount> unseen;  ///< features with at least one unseen category
};

class Pipeline {
 public:
  /// Fits on `rows` of the table. Fails where a statistic would be computed from data that the
  /// schema's adjacency protects; the message says what to declare.
  static Result<Pipeline> fit(const Table& table, std::span<const std::uint32_t> rows);

  /// From features that were fitted before. Refuses a column in two of them, a scale or bounds that
  /// no number can be divided by or clamped to, and more than HybridMatrix::kMaxColumns inputs.
  static Result<Pipeline> create(std::vector<NumericFeature> numeric,
                                 std::vector<CategoryFeature> categories);

  /// Encodes `rows` of a table that has at least this pipeline's columns, of the same types.
  Result<EncodedDataset> apply(const Table& table, std::span<const std::uint32_t> rows) const;

  /// d, the number of input columns.
  std::size_t columns() const { return columns_; }

  /// "age", "occupation=Sales", ... in the order of the columns.
  std::vector<std::string> column_names() const;

  const std::vector<NumericFeature>& numeric() const { return numeric_; }
  const std::vector<CategoryFeature>& categories() const { return categories_; }

 private:
  Status check_columns(const Table& table) const;
  void encode_numbers(const Table& table, std::span<const std::uint32_t> rows,
                      HybridMatrix& x) const;
  void encode_categories(const Table& table, std::span<const std::uint32_t> rows,
                         EncodedDataset& out) const;

  std::vector<NumericFeature> numeric_;
  std::vector<CategoryFeature> categories_;
  std::size_t indicators_ = 0;  ///< how many numeric features have one
  std::size_t columns_ = 0;
};

/// A JSON text that parse_pipeline reads back exactly, every number included. Unknown keys are
/// refused.
std::string to_json(const Pipeline& pipeline);
Result<Pipeline> parse_pipeline(const std::string& json);

}  // namespace dpfermi
