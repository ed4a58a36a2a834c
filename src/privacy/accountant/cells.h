#pragma once

/// A pair's outcomes cut into cells of the loss, with the P- and Q-mass of each.

#include <vector>

#include "privacy/accountant/loss_pair.h"

namespace dpfermi::accountant {

/// Outcomes whose loss lies in [node h, (node + 1) h].
struct Cell {
  long node;
  double p;
  double q;
  double p_error;
  double q_error;
};

/// Cells in the order of their losses. Those with node < low form the left tail, whose loss is
/// anything up to low h; those with node >= high form the right tail, anything from high h on.
struct CellList {
  double h;
  long low;
  long high;
  double slack;  ///< how far rounding may put a loss outside the ends of its cell
  std::vector<Cell> cells;
};

/// Requires: h > 0.
/// Ensures: every outcome is in exactly one cell; the exact masses differ from p and q by at most
/// the errors; all losses on the grid lie within +-500, what is beyond is in the tails.
CellList make_cells(const LossPair& pair, double h, TailMass tail);

}  // namespace dpfermi::accountant
