#pragma once

/// Fewer ones a row for passes over all rows. Neighbouring categories of a table are taken together
/// as one, whose columns are the combinations of values that occur. A table of 30 categories, most
/// of them nearly always the same, is then walked in a handful of look-ups a row.
///
/// Parameters of columns become parameters of combinations (expand), sums over combinations become
/// sums over columns (fold). What is merged depends on public rows; ColumnCodes, which the steps on
/// secret ones use, never looks at rows.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/hybrid_matrix.h"

namespace dpfermi {

class MergedCategories {
 public:
  /// Combinations that a merged category has at most; one that has more by itself stays alone.
  static constexpr std::size_t kMostCombinations = 512;

  MergedCategories(const HybridMatrix& x, std::span<const std::uint32_t> rows);

  std::size_t categories() const { return categories_; }
  /// Numbers, then combinations.
  std::size_t columns() const { return numbers_ + starts_.size() - 1; }

  /// The columns that hold a one in the i-th of the rows, one a category.
  std::span<const std::uint16_t> ones(std::size_t i) const {
    return std::span(ones_).subspan(i * categories_, categories_);
  }

  /// (columns() + 1) x outputs from (d + 1) x outputs; the last row is the bias.
  std::vector<double> expand(std::span<const double> theta, std::size_t outputs) const;
  /// theta += for every column, the sum of `merged` over the combinations that it is part of.
  void fold(std::span<const double> merged, std::size_t outputs, std::span<double> theta) const;

 private:
  std::size_t numbers_;
  std::size_t categories_ = 0;
  std::vector<std::uint16_t> ones_;     ///< rows x categories
  std::vector<std::uint32_t> starts_;   ///< by combination, of its columns in members_; and the end
  std::vector<std::uint16_t> members_;  ///< columns of x
};

}  // namespace dpfermi
