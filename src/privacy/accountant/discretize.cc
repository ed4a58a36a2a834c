#include "privacy/accountant/discretize.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "privacy/accountant/cells.h"
#include "privacy/accountant/normal_tail.h"

namespace dpfermi::accountant {
namespace {

/// For smooth laws the lower grid's points sit a little above the middle of the cells, so that a
/// cell's own loss lies just below a point and is topped up from its right neighbour.
constexpr double kSmoothShift = 0.52;
constexpr double kCoreShare = 0.1;    // a cell with more mass than this may deserve its own point
constexpr double kLeastMass = 1e-80;  // less is dropped from below, lest its quotients underflow
constexpr double kOnPoint = 1e-6;     // of h: so close above a point, a loss is rounded down to it

void add_to(GridLoss& grid, long node, double mass) {
  const long last = grid.first + static_cast<long>(grid.mass.size()) - 1;
  grid.mass[static_cast<std::size_t>(std::clamp(node, grid.first, last) - grid.first)] += mass;
}

GridLoss connect_the_dots(const CellList& cells) {
  GridLoss grid{.first = cells.low,
                .offset = cells.slack,
                .mass = std::vector<double>(static_cast<std::size_t>(cells.high - cells.low + 1)),
                .infinite = 0};
  const double rise = -std::expm1(-cells.h);
  for (const Cell& cell : cells.cells) {
    const double p = cell.p + cell.p_error;
    const double q = std::max(0.0, cell.q - cell.q_error) * (1 - 4 * cells.slack);
    if (cell.node < cells.low) {
      add_to(grid, cells.low, p);
      continue;
    }
    const double node_loss = static_cast<double>(cell.node) * cells.h;
    const double excess = p - std::exp(node_loss) * q + 16 * kRoundOff * p;
    if (cell.node >= cells.high) {  // the right tail has no upper end: the excess goes to infinity
      const double up = std::clamp(excess, 0.0, p);
      add_to(grid, cells.high, p - up);
      grid.infinite += up;
      continue;
    }
    const double up = std::clamp(excess / rise, 0.0, p);
    add_to(grid, cell.node, p - up);
    add_to(grid, cell.node + 1, up);
  }
  return grid;
}

/// Collects outcomes until their mass ratio reaches the next point of the lower grid.
class Merger {
 public:
  Merger(double h, double shift, GridLoss& grid) : h_(h), shift_(shift), grid_(grid) {}

  void add(double p, double q) {
    while (p > 0) {
      if (p_ == 0) {
        open(p, q);
        return;
      }
      if (p_ + p <= ratio_ * (q_ + q)) {
        p_ += p;
        q_ += q;
        return;
      }
      const double part = std::clamp((ratio_ * q_ - p_) / (p - ratio_ * q), 0.0, 1.0);
      add_to(grid_, node_, p_ + part * p);
      p_ = q_ = 0;
      p *= 1 - part;
      q *= 1 - part;
    }
  }

  /// What is left has a ratio below its point; it goes to the point below.
  void finish() {
    if (p_ > 0) {
      add_to(grid_, static_cast<long>(std::floor(std::log(p_ / q_) / h_ - shift_)), p_);
    }
  }

 private:
  void open(double p, double q) {
    const double position = std::log(p / q) / h_ - shift_;
    if (position - std::floor(position) < kOnPoint) {
      add_to(grid_, static_cast<long>(std::floor(position)), p);
      return;
    }
    node_ = static_cast<long>(std::ceil(position));
    ratio_ = std::exp((static_cast<double>(node_) + shift_) * h_);
    p_ = p;
    q_ = q;
  }

  double h_;
  double shift_;
  GridLoss& grid_;
  long node_ = 0;
  double ratio_ = 0;
  double p_ = 0;
  double q_ = 0;
};

GridLoss merge(const CellList& cells, double shift) {
  const double extent =
      static_cast<double>(std::max(std::abs(cells.low), std::abs(cells.high)) + 2);
  GridLoss grid{.first = cells.low - 2,
                .offset = shift * cells.h - 32 * kRoundOff * (1 + extent * cells.h),
                .mass = std::vector<double>(static_cast<std::size_t>(cells.high - cells.low + 5)),
                .infinite = 0};
  Merger merger(cells.h, shift, grid);
  for (const Cell& cell : cells.cells) {
    const double p = std::max(0.0, cell.p - cell.p_error) * (1 - 16 * kRoundOff);
    if (cell.node < cells.low || p < kLeastMass) continue;
    // A loss beyond the grid is lowered to its end, which raises q.
    const double least = p * std::exp(-static_cast<double>(cells.high + 1) * cells.h);
    merger.add(p, std::max(cell.q + cell.q_error, least));
  }
  merger.finish();
  return grid;
}

/// Where the grid has to sit so that one of its points is the loss of `p` against `q`.
double shift_to(double p, double q, double h) {
  const double position = std::log(p / q) / h;
  return position - std::floor(position) - 1e-9;
}

/// Shifts worth trying: the smooth one, and those that keep whole the heaviest cell, all cells of
/// its interval, or those of two neighbouring intervals (a bulk narrower than h that straddles a
/// point).
std::vector<double> merge_shifts(const CellList& list) {
  std::vector<double> shifts{kSmoothShift};
  const Cell& core = *std::ranges::max_element(list.cells, {}, &Cell::p);
  if (core.p < kCoreShare || core.q == 0) return shifts;
  shifts.push_back(shift_to(core.p, core.q, list.h));
  for (const auto& [first, last] : {std::pair(0, 0), std::pair(-1, 0), std::pair(0, 1)}) {
    double p = 0;
    double q = 0;
    for (const Cell& cell : list.cells) {
      if (cell.node < core.node + first || cell.node > core.node + last) continue;
      p += cell.p;
      q += cell.q;
    }
    if (p > 1.01 * core.p) shifts.push_back(shift_to(p, q, list.h));
  }
  return shifts;
}

GridLoss best_merge(const CellList& cells, double theta) {
  GridLoss best;
  double best_moment = -INFINITY;
  for (const double shift : merge_shifts(cells)) {
    GridLoss grid = merge(cells, shift);
    const double moment = log_moment(grid, theta, cells.h);
    if (best.mass.empty() || moment > best_moment) {
      best = std::move(grid);
      best_moment = moment;
    }
  }
  return best;
}

}  // namespace

double loss_of(const GridLoss& grid, std::size_t i, double h) {
  return static_cast<double>(grid.first + static_cast<long>(i)) * h + grid.offset;
}

double log_moment(const GridLoss& grid, double theta, double h) {
  double top = -INFINITY;
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    if (grid.mass[i] > 0) top = std::max(top, theta * loss_of(grid, i, h));
  }
  double sum = 0;
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    const double exponent = theta * loss_of(grid, i, h) - top;
    if (grid.mass[i] > 0 && exponent > kSmallestExponent) sum += grid.mass[i] * std::exp(exponent);
  }
  return top + std::log(sum);
}

GridLoss discretize_upper(const LossPair& pair, double h, TailMass tail) {
  return connect_the_dots(make_cells(pair, h, tail));
}

LossBracket discretize(const LossPair& pair, double h, TailMass tail, double theta) {
  const CellList cells = make_cells(pair, h, tail);
  return {connect_the_dots(cells), best_merge(cells, theta)};
}

double lattice_step(const LossPair& pair) {
  return pair.kind == PairKind::kDiscreteGaussian ? 1 / (pair.sigma * pair.sigma) : 0.0;
}

LossBracket discretize_lattice(const LossPair& pair, TailMass tail) {
  const double cut = std::min(tail.left, tail.right);
  const std::int64_t radius = discrete_gaussian_radius(pair.sigma, cut);
  const std::vector<double> pmf = discrete_gaussian_pmf(pair.sigma, radius);
  const std::int64_t a = std::abs(pair.shift);
  const double h = lattice_step(pair);
  // The loss of outcome k is (a^2/2 - ak) h. Half lattice steps, where a is odd, go to the offset.
  const double half = a % 2 == 0 ? 0.0 : 0.5 * h;
  const long middle = a * a / 2;
  LossBracket bracket;
  bracket.upper.first = bracket.lower.first = middle - a * radius;
  const double rounding = 32 * kRoundOff * h * (static_cast<double>(middle + a * radius) + 1);
  bracket.upper.offset = half + rounding;
  bracket.lower.offset = half - rounding;
  bracket.upper.mass.assign(static_cast<std::size_t>(2 * a * radius + 1), 0.0);
  bracket.lower.mass = bracket.upper.mass;
  bracket.upper.infinite = cut;
  const double widest = static_cast<double>(radius) / pair.sigma;
  const double error = kRoundOff * (16 + 2 * widest * widest);
  for (std::int64_t k = -radius; k <= radius; ++k) {
    const double mass = pmf[static_cast<std::size_t>(k + radius)];
    const auto index = static_cast<std::size_t>(a * (radius - k));
    bracket.upper.mass[index] = mass * (1 + error);
    bracket.lower.mass[index] = mass * (1 - error - cut);
  }
  bracket.upper.mass[0] += cut;
  return bracket;
}

}  // namespace dpfermi::accountant
