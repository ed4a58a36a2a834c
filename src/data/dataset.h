#pragma once

/// Z = {(x_i, s_i, y_i)}: what a solver trains on and an evaluation reads.

#include <cstdint>
#include <vector>

#include "data/hybrid_matrix.h"
#include "dpfermi/privacy/protected.h"

namespace dpfermi {

struct Dataset {
  HybridMatrix x;
  std::vector<std::uint16_t> y;             ///< class of each row, in [0, classes)
  Protected<std::vector<std::uint16_t>> s;  ///< group of each row, in [0, groups)
  std::vector<std::uint32_t> units;         ///< person of each row, in [0, unit_count)
  std::vector<float> weights;               ///< of each row in the loss, public; empty: all one
  std::vector<float> scores;                ///< rows x l, of another model, public; empty: none
  std::size_t classes = 0;                  ///< l
  std::size_t groups = 0;                   ///< k
  std::size_t unit_count = 0;
  /// Whether an id column was declared: units are then persons with any number of rows. By
  /// declaration and never by counting rows: one person must not change how others are summed.
  bool persons = false;

  std::size_t rows() const { return x.rows(); }
};

}  // namespace dpfermi
