#include "data/chosen_rows.h"

#include <algorithm>

namespace dpfermi {

HybridMatrix chosen_rows(const HybridMatrix& x, std::span<const std::uint32_t> rows) {
  HybridMatrix chosen = x.shaped(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const HybridMatrix::Row from = x.row(rows[i]);
    const HybridMatrix::MutableRow to = chosen.row(i);
    std::ranges::copy(from.numbers, to.numbers.begin());
    std::ranges::copy(from.ones, to.ones.begin());
  }
  return chosen;
}

}  // namespace dpfermi
