#pragma once

/// The n x d input matrix [numbers | one-hot categories], stored as what it really holds: p floats
/// and c category indices a row, next to each other in memory (Adult: 6 + 7 instead of 102 floats).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/huge_pages.h"

namespace dpfermi {

class HybridMatrix {
 public:
  /// Column indices fit 16 bits; the largest is kept for "no category".
  static constexpr std::size_t kMaxColumns = 65'534;

  struct Row {
    std::span<const float> numbers;       ///< columns 0 .. p-1
    std::span<const std::uint16_t> ones;  ///< columns that hold a one; columns() for none
  };
  struct MutableRow {
    std::span<float> numbers;
    std::span<std::uint16_t> ones;
  };

  HybridMatrix() = default;

  /// `columns` is d, the width of the matrix that this stands for. Requires columns <= kMaxColumns.
  HybridMatrix(std::size_t rows, std::size_t numbers, std::size_t categories, std::size_t columns);

  /// Category c has sizes[c] columns, which follow those of the categories before it. Rows that
  /// are known to keep to that are stored and summed in fewer codes (core/column_codes.h).
  HybridMatrix(std::size_t rows, std::size_t numbers, std::vector<std::size_t> sizes);

  /// The same with rows that lie elsewhere, as row_bytes() has them.
  HybridMatrix(std::size_t rows, std::size_t numbers, std::vector<std::size_t> sizes,
               std::shared_ptr<const std::byte> bytes);

  /// A matrix of the same shape with other rows, all zero.
  HybridMatrix shaped(std::size_t rows) const;

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::size_t number_count() const { return numbers_; }
  std::size_t category_count() const { return categories_; }
  /// Columns of each category; empty if unknown.
  const std::vector<std::size_t>& category_sizes() const { return sizes_; }
  /// Whether the rows lie in another object's memory: a mapped file.
  bool is_elsewhere() const { return elsewhere_ != nullptr; }
  std::size_t bytes() const { return rows_ * stride_; }
  std::span<const std::byte> row_bytes() const { return {base(), bytes()}; }

  Row row(std::size_t i) const {
    const std::byte* base = this->base() + i * stride_;
    return {{reinterpret_cast<const float*>(base), numbers_},
            {reinterpret_cast<const std::uint16_t*>(base + numbers_ * sizeof(float)), categories_}};
  }
  MutableRow row(std::size_t i) {
    if (elsewhere_) keep_copy();
    std::byte* base = storage_.data() + i * stride_;
    return {{reinterpret_cast<float*>(base), numbers_},
            {reinterpret_cast<std::uint16_t*>(base + numbers_ * sizeof(float)), categories_}};
  }

  /// Asks for rows that will be read soon: rows far apart cost more to fetch than to use.
  void prefetch(std::span<const std::uint32_t> rows) const {
    for (const std::uint32_t i : rows) {
      const std::byte* base = this->base() + i * stride_;
      __builtin_prefetch(base);
      __builtin_prefetch(base + stride_ - 1);
    }
  }

  /// Entry (i, j) of the dense matrix: the plain definition that fast paths are tested against.
  float at(std::size_t i, std::size_t j) const;

  /// The mean over rows of |x|^2.
  double mean_square() const;

 private:
  const std::byte* base() const { return elsewhere_ ? elsewhere_.get() : storage_.data(); }
  void keep_copy();

  std::size_t rows_ = 0;
  std::size_t numbers_ = 0;
  std::size_t categories_ = 0;
  std::size_t columns_ = 0;
  std::vector<std::size_t> sizes_;
  std::size_t stride_ = 0;  ///< bytes from one row to the next
  std::vector<std::byte, HugePageAllocator<std::byte>> storage_;
  std::shared_ptr<const std::byte> elsewhere_;  ///< instead of storage_
};

}  // namespace dpfermi
