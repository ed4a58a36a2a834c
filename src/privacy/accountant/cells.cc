#include "privacy/accountant/cells.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "privacy/accountant/normal_tail.h"

namespace dpfermi::accountant {
namespace {

constexpr double kLargestLoss = 500;  // e^loss and its inverse stay far from overflow

/// P(Z > z) or P(Z < z), whichever is smaller, for a boundary between cells.
struct Boundary {
  double z;
  double tail;
  double error;
};

Boundary boundary_at(double x, double mean, double sigma) {
  const double z = (x - mean) / sigma;
  const double tail = 0.5 * std::erfc(std::abs(z) * M_SQRT1_2);
  // erfc to 3 ulps (6 units of round-off), its argument to 4 units of round-off: with
  // phi(z) <= (1 + |z|) tail they come to (6 + 4 |z| + 4 z^2) <= 8 (2 + z^2) units.
  const double size = std::isinf(z) ? 1 : std::abs(z);
  return {z, tail, 8 * kRoundOff * (2 + size * size + (1 + size) / sigma) * tail};
}

/// P(a < Z < b), from the tails on the side where they do not cancel.
Approximate mass_between(const Boundary& a, const Boundary& b) {
  const bool one_side = a.z >= 0 || b.z <= 0;
  const double mass = one_side ? std::abs(a.tail - b.tail) : 1 - a.tail - b.tail;
  return {mass, a.error + b.error + (one_side ? 0 : 2 * kRoundOff)};
}

/// The three Gaussians of a pair at one boundary; those without weight stay empty.
struct Boundaries {
  Boundary minus{0, 0, 0};
  Boundary zero{0, 0, 0};
  Boundary plus{0, 0, 0};
};

class MixtureCells {
 public:
  explicit MixtureCells(const LossPair& pair)
      : pair_(pair),
        p_(p_weights(pair)),
        q_(q_weights(pair)),
        sampled_(pair.kind == PairKind::kRevealed ? pair.q : 1.0) {}

  Boundaries at(double x) const {
    Boundaries b;
    if (q_.minus > 0) b.minus = boundary_at(x, -1, pair_.sigma);
    if (p_.zero > 0 || q_.zero > 0) b.zero = boundary_at(x, 0, pair_.sigma);
    if (p_.plus > 0) b.plus = boundary_at(x, 1, pair_.sigma);
    return b;
  }

  Cell cell(long node, const Boundaries& a, const Boundaries& b) const {
    Cell cell{node, 0, 0, 0, 0};
    const auto add = [&](double p_weight, double q_weight, const Boundary& low,
                         const Boundary& high) {
      if (p_weight == 0 && q_weight == 0) return;
      const Approximate mass = mass_between(low, high);
      cell.p += sampled_ * p_weight * mass.value;
      cell.q += sampled_ * q_weight * mass.value;
      const double error = mass.error + 8 * kRoundOff * mass.value;
      cell.p_error += sampled_ * p_weight * error;
      cell.q_error += sampled_ * q_weight * error;
    };
    add(p_.minus, q_.minus, a.minus, b.minus);
    add(p_.zero, q_.zero, a.zero, b.zero);
    add(p_.plus, q_.plus, a.plus, b.plus);
    return cell;
  }

 private:
  const LossPair& pair_;
  MixtureWeights p_;
  MixtureWeights q_;
  double sampled_;
};

CellList empty_list(double low_loss, double high_loss, double h) {
  low_loss = std::clamp(low_loss, -kLargestLoss, kLargestLoss);
  high_loss = std::clamp(high_loss, low_loss, kLargestLoss);
  const long low = static_cast<long>(std::floor(low_loss / h));
  const long high = std::max(low + 1, static_cast<long>(std::ceil(high_loss / h)));
  return {.h = h, .low = low, .high = high, .slack = 0, .cells = {}};
}

CellList mixture_cells(const LossPair& pair, double h, TailMass tail) {
  const Range range = range_of(pair, tail);
  CellList list = empty_list(loss_at(pair, range.low), loss_at(pair, range.high), h);
  const double variance = pair.sigma * pair.sigma;
  const double reach = std::max(std::abs(range.low), std::abs(range.high));
  const double losses = static_cast<double>(std::max(std::abs(list.low), std::abs(list.high))) * h;
  list.slack = 64 * kRoundOff * (1 + losses + (reach + 1) / variance - std::log(pair.q));
  list.cells.reserve(static_cast<std::size_t>(list.high - list.low + 3));
  const MixtureCells masses(pair);
  Boundaries left = masses.at(-kInfinity);
  double previous = -kInfinity;
  for (long node = list.low; node <= list.high; ++node) {
    const double x = std::max(previous, point_of_loss(pair, static_cast<double>(node) * h));
    const Boundaries right = masses.at(x);
    list.cells.push_back(masses.cell(node - 1, left, right));
    if (node == 0 && pair.kind == PairKind::kRevealed) {
      const double out = 1 - pair.q;
      list.cells.push_back({0, out, out, kRoundOff * out, kRoundOff * out});
    }
    left = right;
    previous = x;
  }
  list.cells.push_back(masses.cell(list.high, left, masses.at(kInfinity)));
  return list;
}

CellList laplace_cells(const LossPair& pair, double h) {
  const double b = pair.sigma;
  CellList list = empty_list(-1 / b, 1 / b, h);
  list.slack = 64 * kRoundOff * (1 + 1 / b);
  const double end = std::min(1 / b, kLargestLoss);
  const auto node_of = [&](double loss) { return static_cast<long>(std::floor(loss / h)); };
  const auto push = [&](long node, double p, double q) {
    list.cells.push_back(
        {node, p, q, 16 * kRoundOff * (1 + 1 / b) * p, 16 * kRoundOff * (1 + 1 / b) * q});
  };
  // P = Lap(0), Q = Lap(1): the loss is -1/b from x = 1 on, 1/b up to x = 0, (1-2x)/b between.
  push(std::max(list.low, node_of(-1 / b)), 0.5 * std::exp(-1 / b), 0.5);
  double low = -1 / b;
  for (long node = list.low; node < list.high; ++node) {
    const double high = std::clamp(static_cast<double>(node + 1) * h, -1 / b, 1 / b);
    if (high <= low) continue;
    const double x = (1 - b * high) / 2;
    const double width = (high - low) / 2;  // of the x-interval, over b
    push(node, -0.5 * std::exp(-x / b) * std::expm1(-width),
         -0.5 * std::exp(-(1 - x) / b) * std::expm1(-width) * std::exp(width));
    low = high;
  }
  push(std::min(list.high - 1, node_of(end)), 0.5, 0.5 * std::exp(-1 / b));
  return list;
}

/// Two outcomes, of losses 1/sigma and -1/sigma.
CellList pure_cells(const LossPair& pair, double h) {
  const double loss = 1 / pair.sigma;
  CellList list = empty_list(-loss, loss, h);
  list.slack = 64 * kRoundOff * (1 + loss);
  const double likely = 1 / (1 + std::exp(-loss));
  const double unlikely = std::exp(-loss) * likely;
  const double error = 16 * kRoundOff * (1 + loss);
  const auto node_of = [&](double at) { return static_cast<long>(std::floor(at / h)); };
  list.cells.push_back(
      {std::max(list.low, node_of(-loss)), unlikely, likely, error * unlikely, error * likely});
  list.cells.push_back(
      {std::min(list.high - 1, node_of(loss)), likely, unlikely, error * likely, error * unlikely});
  return list;
}

CellList lattice_cells(const LossPair& pair, double h, TailMass tail) {
  const double cut = std::min(tail.left, tail.right);
  const std::int64_t radius = discrete_gaussian_radius(pair.sigma, cut);
  const std::int64_t a = std::abs(pair.shift);
  const std::vector<double> pmf = discrete_gaussian_pmf(pair.sigma, radius + a);
  const double variance = pair.sigma * pair.sigma;
  const auto loss_of = [&](std::int64_t k) {
    const auto shift = static_cast<double>(a);
    return shift * (shift / 2 - static_cast<double>(k)) / variance;
  };
  CellList list = empty_list(loss_of(radius), loss_of(-radius), h);
  list.slack = 64 * kRoundOff * (1 + std::abs(loss_of(-radius)));
  const double widest = static_cast<double>(radius + a) / pair.sigma;
  const double error = kRoundOff * (16 + 2 * widest * widest) + cut;
  const auto mass_at = [&](std::int64_t k) {
    return pmf[static_cast<std::size_t>(std::clamp(k, -radius - a, radius + a) + radius + a)];
  };
  list.cells.push_back({list.low - 1, 0, 0, cut, cut});
  for (std::int64_t k = radius; k >= -radius; --k) {
    const long node = static_cast<long>(std::floor(loss_of(k) / h));
    const double p = mass_at(k);
    const double q = mass_at(k - a);
    list.cells.push_back({std::clamp(node, list.low - 1, list.high), p, q, error * p, error * q});
  }
  list.cells.push_back({list.high, 0, 0, cut, 0});
  return list;
}

}  // namespace

CellList make_cells(const LossPair& pair, double h, TailMass tail) {
  if (is_gaussian_mixture(pair.kind)) return mixture_cells(pair, h, tail);
  if (pair.kind == PairKind::kLaplace) return laplace_cells(pair, h);
  if (pair.kind == PairKind::kPure) return pure_cells(pair, h);
  return lattice_cells(pair, h, tail);
}

}  // namespace dpfermi::accountant
