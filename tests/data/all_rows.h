#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "data/table.h"

namespace dpfermi::testing_support {

inline std::vector<std::uint32_t> all_rows(const Table& table) {
  std::vector<std::uint32_t> rows(table.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

}  // namespace dpfermi::testing_support
