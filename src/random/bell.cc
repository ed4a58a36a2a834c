#include "random/bell.h"

#include <cassert>
#include <cmath>

namespace dpfermi::bell {
namespace {

/// f at the left edge of a column; within 2^-53 relative of the truth, hence far within kMargin.
double edge_value(unsigned column) {
  const Big scaled = value(Big{column}, 5) >> (kFraction - 62);
  return std::ldexp(static_cast<double>(static_cast<std::uint64_t>(scaled)), -62);
}

/// A box is called whole, or left out, only when that holds with kMargin to spare; a doubtful one
/// counts as cut, which is always right.
Boxes make_boxes() {
  Boxes table{};
  std::array<unsigned, kColumns + 1> whole_rows{};
  for (unsigned column = 0; column < kColumns; ++column) {
    table.left_value[column] = edge_value(column);
    const double right = edge_value(column + 1);
    whole_rows[column] = static_cast<unsigned>(std::floor((right - kMargin) / kRowHeight - 1e-9));
    for (unsigned row = 0; row < whole_rows[column]; ++row) {
      table.column[table.whole++] = static_cast<std::uint8_t>(column);
    }
  }
  table.cut = table.whole;
  for (unsigned column = 0; column < kColumns; ++column) {
    for (unsigned row = whole_rows[column]; row * kRowHeight < table.left_value[column] + kMargin;
         ++row) {
      assert(table.cut + 1 < kBoxes);
      table.column[table.cut] = static_cast<std::uint8_t>(column);
      table.row[table.cut++] = static_cast<std::uint8_t>(row);
    }
  }
  return table;
}

}  // namespace

const Boxes& boxes() {
  static const Boxes table = make_boxes();
  return table;
}

}  // namespace dpfermi::bell
