#pragma once

/// Typed columns: what a table is made of once its text has been read.

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/huge_pages.h"

namespace dpfermi {

/// Whether giving back what a full vector has reserved is worth a copy of it.
template <class Vector>
bool wastes_memory(const Vector& values) {
  return values.capacity() > values.size() + values.size() / 8 + 64;
}

/// Small nonnegative integers in as few bytes as the largest needs (1, 2 or 4). The largest value
/// of each width stands for kMissing.
class CodeVector {
 public:
  static constexpr std::uint32_t kMissing = std::numeric_limits<std::uint32_t>::max();

  std::size_t size() const { return used_ / width_; }
  void push_back(std::uint32_t code) {
    while (code >= mark_ && code != kMissing) widen();
    if (used_ + sizeof code > bytes_.size()) make_room();
    // All four bytes are written, one after the other overwrites the excess: no branch on the
    // width.
    std::memcpy(bytes_.data() + used_, &code, sizeof code);
    used_ += width_;
  }
  /// Requires that the codes are missing or below `limit`.
  void append(std::span<const std::uint32_t> codes, std::size_t limit);
  void truncate(std::size_t size) { used_ = size * width_; }
  /// Requires a code that is in the vector already.
  void set(std::size_t i, std::uint32_t code) {
    std::memcpy(bytes_.data() + i * width_, &code, width_);
  }
  void reserve(std::size_t size) { bytes_.reserve(size * width_ + sizeof(std::uint32_t)); }
  std::uint32_t operator[](std::size_t i) const {
    std::uint32_t code = 0;
    std::memcpy(&code, bytes_.data() + i * width_, sizeof code);
    code &= mark_;
    return code == mark_ ? kMissing : code;
  }
  void shrink_to_fit();

 private:
  void widen();
  void make_room();
  template <class Stored>
  void store(std::span<const std::uint32_t> codes);

  /// Codes, little-endian, and at least three bytes more.
  std::vector<unsigned char, HugePageAllocator<unsigned char>> bytes_;
  std::size_t used_ = 0;
  std::size_t width_ = 1;
  std::uint32_t mark_ = 0xFF;  ///< what stands for kMissing at this width
};

/// Large columns are written and read from end to end: small pages cost a third of the time.
using Numbers = std::vector<double, HugePageAllocator<double>>;

/// Numbers; a missing one is NaN (a number read from a file is always finite). Copies share them.
struct NumericColumn {
  NumericColumn() = default;
  explicit NumericColumn(Numbers numbers)
      : own(std::make_shared<const Numbers>(std::move(numbers))), values(*own) {}

  /// Numbers that the caller keeps alive and unchanged.
  static NumericColumn borrowed(std::span<const double> numbers) {
    NumericColumn column;
    column.values = numbers;
    return column;
  }

  std::shared_ptr<const Numbers> own;  ///< null: borrowed
  std::span<const double> values;
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
