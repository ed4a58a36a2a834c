#include "privacy/accountant/loss_pair.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "privacy/accountant/normal_tail.h"

namespace dpfermi::accountant {
namespace {

/// ln(weight of N(0) + weight of N(mean) e^{exponent}), the density over that of N(0).
double log_mixture(double zero, double other, double exponent) {
  if (other == 0) return std::log(zero);
  if (zero == 0) return std::log(other) + exponent;
  const double a = std::log(zero);
  const double b = std::log(other) + exponent;
  // Close to zero the sum of logarithms cancels; expm1 does not.
  if (std::abs(exponent) < 1) return std::log1p((zero + other - 1) + other * std::expm1(exponent));
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

/// asinh(e^w) without forming e^w.
double asinh_of_exp(double w) {
  return w > 20 ? w + std::log(2.0) : std::asinh(std::exp(w));
}

double log_sinh(double x) {
  return x > 20 ? x - std::log(2.0) : std::log(std::sinh(x));
}

void append_gaussian_nodes(const LossPair& pair, TailMass tail, std::vector<LossNode>& nodes) {
  const Range range = range_of(pair, tail);
  // The loss has its nearest singularity at height pi sigma^2: small sigma needs smaller steps.
  const double step = pair.sigma * std::min(0.25, 0.4 * pair.sigma);
  const MixtureWeights w = p_weights(pair);
  const double scale = step / (pair.sigma * std::sqrt(2 * M_PI));
  const double sampled = pair.kind == PairKind::kRevealed ? pair.q : 1.0;
  // One point past the end: windows are chosen from these nodes and must not be too short.
  const auto count = static_cast<std::size_t>((range.high - range.low) / step) + 2;
  nodes.reserve(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    const double x = range.low + static_cast<double>(i) * step;
    const auto density = [&](double weight, double mean) {
      const double z = (x - mean) / pair.sigma;
      return weight == 0 ? 0 : weight * std::exp(-0.5 * z * z);
    };
    nodes.push_back(
        {sampled * scale * (density(w.zero, 0) + density(w.plus, 1)), loss_at(pair, x)});
  }
  if (pair.kind == PairKind::kRevealed) nodes.push_back({1 - pair.q, 0.0});
}

void append_laplace_nodes(const LossPair& pair, std::vector<LossNode>& nodes) {
  // Eight-point Gauss-Legendre on pieces of at most one unit of loss.
  constexpr std::array<double, 4> kPoint = {0.1834346424956498, 0.5255324099163290,
                                            0.7966664774136267, 0.9602898564975363};
  constexpr std::array<double, 4> kWeight = {0.3626837833783620, 0.3137066458778873,
                                             0.2223810344533745, 0.1012285362903763};
  const double b = pair.sigma;
  nodes.push_back({0.5, 1 / b});
  nodes.push_back({0.5 * std::exp(-1 / b), -1 / b});
  const int pieces = std::max(8, static_cast<int>(std::ceil(2 / b)));
  for (int i = 0; i < pieces; ++i) {
    for (std::size_t k = 0; k < 8; ++k) {
      const double u = (k < 4 ? kPoint[k] : -kPoint[k - 4]);
      const double x = (i + 0.5 + 0.5 * u) / pieces;
      const double weight = 0.5 * kWeight[k % 4] / pieces;
      nodes.push_back({weight * std::exp(-x / b) / (2 * b), (1 - 2 * x) / b});
    }
  }
}

void append_lattice_nodes(const LossPair& pair, TailMass tail, std::vector<LossNode>& nodes) {
  const std::int64_t radius = discrete_gaussian_radius(pair.sigma, std::min(tail.left, tail.right));
  const std::vector<double> pmf = discrete_gaussian_pmf(pair.sigma, radius);
  const auto a = static_cast<double>(pair.shift);
  // Above some thousands of points a coarser sum integrates just as well.
  const std::int64_t stride = std::max<std::int64_t>(1, static_cast<std::int64_t>(pair.sigma / 8));
  for (std::int64_t k = -radius; k <= radius; k += stride) {
    const double loss = a * (a / 2 - static_cast<double>(k)) / (pair.sigma * pair.sigma);
    nodes.push_back(
        {pmf[static_cast<std::size_t>(k + radius)] * static_cast<double>(stride), loss});
  }
}

}  // namespace

bool is_gaussian_mixture(PairKind kind) {
  return !is_bounded(kind) && kind != PairKind::kDiscreteGaussian;
}

bool is_bounded(PairKind kind) {
  return kind == PairKind::kLaplace || kind == PairKind::kPure;
}

MixtureWeights p_weights(const LossPair& pair) {
  switch (pair.kind) {
    case PairKind::kRemove:
    case PairKind::kSubstitution:
      return {0, 1 - pair.q, pair.q};
    case PairKind::kAdd:
      return {0, 1, 0};
    default:
      return {0, 0, 1};
  }
}

MixtureWeights q_weights(const LossPair& pair) {
  switch (pair.kind) {
    case PairKind::kAdd:
    case PairKind::kSubstitution:
      return {pair.q, 1 - pair.q, 0};
    default:
      return {0, 1, 0};
  }
}

double loss_at(const LossPair& pair, double x) {
  const double variance = pair.sigma * pair.sigma;
  const MixtureWeights p = p_weights(pair);
  const MixtureWeights q = q_weights(pair);
  return log_mixture(p.zero, p.plus, (x - 0.5) / variance) -
         log_mixture(q.zero, q.minus, (-x - 0.5) / variance);
}

double point_of_loss(const LossPair& pair, double loss) {
  const double variance = pair.sigma * pair.sigma;
  switch (pair.kind) {
    case PairKind::kRemove: {
      const double ratio = std::expm1(loss) / pair.q + 1;
      return ratio > 0 ? 0.5 + variance * std::log(ratio) : -kInfinity;
    }
    case PairKind::kAdd: {
      const double ratio = std::expm1(-loss) / pair.q + 1;
      return ratio > 0 ? -0.5 - variance * std::log(ratio) : kInfinity;
    }
    case PairKind::kSubstitution: {
      if (loss == 0) return 0;
      const double half = std::abs(loss) / 2;
      const double log_alpha = std::log1p(-pair.q) - std::log(pair.q) + 0.5 / variance;
      const double x = variance * (half + asinh_of_exp(log_alpha + log_sinh(half)));
      return std::copysign(x, loss);
    }
    default:
      return 0.5 + variance * loss;
  }
}

Range range_of(const LossPair& pair, TailMass tail) {
  const MixtureWeights w = p_weights(pair);
  const double sampled = pair.kind == PairKind::kRevealed ? pair.q : 1.0;
  Range range{kInfinity, -kInfinity};
  const auto include = [&](double weight, double mean) {
    if (weight == 0) return;
    const double share = 0.5 / (weight * sampled);
    range.low = std::min(range.low, mean - pair.sigma * normal_tail_point(tail.left * share));
    range.high = std::max(range.high, mean + pair.sigma * normal_tail_point(tail.right * share));
  };
  include(w.zero, 0);
  include(w.plus, 1);
  return range;
}

std::vector<LossNode> loss_nodes(const LossPair& pair, TailMass tail) {
  std::vector<LossNode> nodes;
  if (is_gaussian_mixture(pair.kind)) {
    append_gaussian_nodes(pair, tail, nodes);
  } else if (pair.kind == PairKind::kLaplace) {
    append_laplace_nodes(pair, nodes);
  } else if (pair.kind == PairKind::kPure) {
    const double likely = 1 / (1 + std::exp(-1 / pair.sigma));
    nodes = {{likely, 1 / pair.sigma}, {1 - likely, -1 / pair.sigma}};
  } else {
    append_lattice_nodes(pair, tail, nodes);
  }
  return nodes;
}

std::int64_t discrete_gaussian_radius(double sigma, double tail) {
  // The lattice Gaussian's tail beyond k is below that of the continuous one beyond k - 1, twice.
  return static_cast<std::int64_t>(std::ceil(sigma * normal_tail_point(tail / 4))) + 2;
}

std::vector<double> discrete_gaussian_pmf(double sigma, std::int64_t radius) {
  std::vector<double> pmf(static_cast<std::size_t>(2 * radius + 1));
  double sum = 0;
  double lost = 0;  // what rounding took from the sum (Kahan): it may have millions of terms
  for (std::int64_t k = radius; k >= 0; --k) {
    const double z = static_cast<double>(k) / sigma;
    const double weight = std::exp(-0.5 * z * z);
    pmf[static_cast<std::size_t>(radius + k)] = pmf[static_cast<std::size_t>(radius - k)] = weight;
    const double term = (k == 0 ? weight : 2 * weight) + lost;
    const double next = sum + term;
    lost = term - (next - sum);
    sum = next;
  }
  for (double& mass : pmf) mass /= sum;
  return pmf;
}

}  // namespace dpfermi::accountant
