#pragma once

/// The rows of a data set as steps read them: numbers, codes (core/column_codes.h) and the label of
/// a row side by side, Adult's in half a cache line. Rows come in any order, a block at a time, and
/// go into the columns of a FactorBlock. Those of a mapped matrix stay there and are packed when
/// they are read: memory then does not grow with the rows.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/column_codes.h"
#include "core/huge_pages.h"
#include "core/outer_products.h"
#include "data/hybrid_matrix.h"

namespace dpfermi {

class PackedRows {
 public:
  /// Copies all of it, unless x is mapped. Requires a label for every row, and that x and y outlive
  /// the object.
  PackedRows(const HybridMatrix& x, std::span<const std::uint16_t> y,
             std::shared_ptr<const ColumnCodes> codes);

  /// The block to load rows into must have been made with these codes.
  const std::shared_ptr<const ColumnCodes>& codes() const { return codes_; }

  /// Fills the block with these rows and their labels, and asks for those of the block ahead: rows
  /// far apart cost more to fetch than to use.
  void load(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> ahead,
            FactorBlock& block) const;

 private:
  void prefetch(std::span<const std::uint32_t> rows) const;
  const std::uint32_t* row(std::size_t i) const { return words_.data() + i * stride_; }
  /// Row i as stride_ words, all zero before; `halves` is working memory.
  void pack(std::size_t i, std::span<std::uint16_t> halves, std::uint32_t* to) const;

  const HybridMatrix* x_;
  std::span<const std::uint16_t> y_;
  std::shared_ptr<const ColumnCodes> codes_;
  std::size_t numbers_;
  std::size_t code_count_;
  std::size_t stride_;                       ///< words of a row, a multiple of four
  std::optional<std::size_t> ones_per_row_;  ///< spares counting; results do not depend on it

  /// A row: numbers_ floats, then 16 bits for each code and for the label. Empty where x is mapped.
  std::vector<std::uint32_t, HugePageAllocator<std::uint32_t>> words_;
};

}  // namespace dpfermi
