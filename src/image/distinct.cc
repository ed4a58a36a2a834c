#include "dpfermi/image/distinct.h"

#include <numeric>

namespace dpfermi {

std::vector<std::uint32_t> distinct_images(const Table& table) {
  std::vector<std::uint32_t> rows;
  if (table.units.empty()) {
    rows.resize(table.rows);
    std::iota(rows.begin(), rows.end(), 0U);
    return rows;
  }
  constexpr std::uint32_t kNone = UINT32_MAX;
  std::vector<std::uint32_t> first(table.unit_count, kNone);
  std::vector<bool> agrees(table.unit_count, true);
  for (std::uint32_t row = 0; row < table.rows; ++row) {
    const std::uint32_t unit = table.units[row];
    if (first[unit] == kNone) first[unit] = row;
    if (table.labels.y[first[unit]] != table.labels.y[row]) agrees[unit] = false;
  }
  for (std::uint32_t row = 0; row < table.rows; ++row) {
    const std::uint32_t unit = table.units[row];
    if (agrees[unit] && first[unit] == row) rows.push_back(row);
  }
  return rows;
}

}  // namespace dpfermi
