#pragma once

/// Codes for the ones of a row. A table's categories are one-hot columns, and a row has a one in at
/// most one column of each. A code stands for the columns of several categories at once, so that a
/// row needs fewer codes than it has categories: one look-up then finds the sum of several weights,
/// one addition serves several sums. Weights of columns become weights of codes (expand), sums over
/// codes become sums over columns (fold).
///
/// Which categories share a code follows from the numbers of columns alone, never from rows.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dpfermi {

class ColumnCodes {
 public:
  /// More would leave the fastest cache, with weights and sums side by side.
  static constexpr std::size_t kMostMerged = 1024;

  /// Nothing is merged: code j stands for column j, code `columns` for none.
  explicit ColumnCodes(std::size_t columns);

  /// Category c has `sizes[c]` columns; they follow each other from column `first` on. The fewest
  /// codes a row for which kMostMerged codes are enough; nothing is merged where that is
  /// impossible.
  ColumnCodes(std::size_t first, std::span<const std::size_t> sizes);

  std::size_t columns() const { return columns_; }
  bool merged() const { return !groups_.empty(); }

  /// How many codes there are.
  std::size_t size() const { return ones_.size(); }

  /// How many codes a row of `categories` categories has.
  std::size_t per_row(std::size_t categories) const {
    return merged() ? groups_.size() : categories;
  }

  /// The codes of a row whose ones are in these columns, one a category, columns() for none.
  /// Requires codes.size() == per_row(ones.size()).
  void encode(std::span<const std::uint16_t> ones, std::span<std::uint16_t> codes) const;

  /// How many columns a code stands for.
  std::uint8_t ones(std::uint16_t code) const { return ones_[code]; }

  /// of_codes = for every code, the sum of of_columns over its columns.
  void expand(std::span<const double> of_columns, std::span<double> of_codes) const;

  /// of_columns += for every column, the sum of of_codes over the codes that it is part of, which
  /// are overwritten. Sums of integers are exact.
  void fold(std::span<double> of_codes, std::span<double> of_columns) const;

 private:
  /// A category: its columns, and one more value for none.
  struct Part {
    std::size_t category;
    std::size_t first;
    std::size_t size;
    std::size_t values() const { return size + 1; }
  };
  /// Categories that share codes: mixed-radix numbers, the last part's digit being the lowest.
  struct Group {
    std::size_t start = 0;
    std::size_t codes = 1;
    std::vector<Part> parts;
  };
  class Search;

  std::size_t columns_;
  std::vector<Group> groups_;       ///< empty: nothing is merged
  std::vector<std::uint8_t> ones_;  ///< by code
};

}  // namespace dpfermi
