#pragma once

/// Typed columns: what a table is made of once its text has been read.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace dpfermi {

/// Small nonnegative integers in as few bytes as the largest needs (1, 2 or 4). The largest value
/// of each width stands for kMissing.
class CodeVector {
 public:
  static constexpr std::uint32_t kMissing = std::numeric_limits<std::uint32_t>::max();

  std::size_t size() const { return bytes_.size() / width_; }
  std::size_t memory() const { return bytes_.capacity(); }
  void push_back(std::uint32_t code);
  void pop_back() { bytes_.resize(bytes_.size() - width_); }
  std::uint32_t operator[](std::size_t i) const;
  void shrink_to_fit() { bytes_.shrink_to_fit(); }

 private:
  void widen(std::size_t width);
  void append(std::uint32_t code);
  std::uint32_t missing_mark() const;

  std::vector<unsigned char> bytes_;
  std::size_t width_ = 1;
};

/// Distinct strings, numbered in order of first appearance.
class LevelTable {
 public:
  /// The number of `text`, or kMissing if it is not in the table.
  std::uint32_t find(std::string_view text) const;

  /// The number of `text`, added if it is new.
  std::uint32_t insert(std::string_view text);

  std::size_t size() const { return levels_.size(); }
  const std::vector<std::string>& levels() const { return levels_; }

 private:
  std::size_t slot_of(std::string_view text, std::uint64_t hash) const;
  void grow();

  std::vector<std::string> levels_;
  std::vector<std::uint64_t> hashes_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, CodeVector::kMissing);
};

/// Numbers; a missing one is NaN (a number read from a file is always finite).
struct NumericColumn {
  std::vector<double> values;
};

/// Categories; a missing one has the code CodeVector::kMissing.
struct CategoryColumn {
  CodeVector codes;
  std::vector<std::string> levels;
};

struct Column {
  std::string name;
  std::variant<NumericColumn, CategoryColumn> data;

  std::size_t size() const;
  bool is_missing(std::size_t row) const;
};

}  // namespace dpfermi
