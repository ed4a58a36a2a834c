#include "privacy/accountant/rdp_accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "privacy/accountant/discretize.h"
#include "privacy/accountant/flatten.h"
#include "privacy/accountant/normal_tail.h"
#include "privacy/accountant/order_search.h"

namespace dpfermi {
namespace {

using accountant::Component;
using accountant::Direction;
using accountant::FlatEvent;
using accountant::kInfinity;
using accountant::LossPair;
using accountant::PairKind;

double log_add(double a, double b) {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

/// Where log_mixture_moment integrates. The loss has a slope of at most 2 / sigma^2, so
/// (dP/dQ)^(alpha-1) moves the mass of P by at most 2 (alpha - 1) units to the right.
struct MomentRange {
  double low;
  double high;
  double step;
};

MomentRange moment_range(const LossPair& pair, double order) {
  return {-1 - 14 * pair.sigma, 2 * order + 1 + 14 * pair.sigma,
          pair.sigma * std::min(0.25, 0.4 * pair.sigma)};
}

double mixture_points(const LossPair& pair, double order) {
  const MomentRange range = moment_range(pair, order);
  return (range.high - range.low) / range.step;
}

/// ln E_Q[e^{alpha L}] = ln E_P[e^{(alpha-1) L}] of a Gaussian mixture pair, by the trapezoid rule,
/// which converges geometrically for this integrand.
double log_mixture_moment(const LossPair& pair, double order) {
  const double sigma = pair.sigma;
  const auto [low, high, step] = moment_range(pair, order);
  const accountant::MixtureWeights weights = accountant::p_weights(pair);
  const double log_front = std::log(step) - std::log(sigma) - 0.5 * std::log(2 * M_PI);
  double total = -kInfinity;
  for (double x = low; x <= high; x += step) {
    const auto log_density = [&](double weight, double mean) {
      const double z = (x - mean) / sigma;
      return weight == 0 ? -kInfinity : std::log(weight) - 0.5 * z * z;
    };
    const double zero = log_density(weights.zero, 0);
    const double plus = log_density(weights.plus, 1);
    const double p = std::isinf(zero) ? plus : std::isinf(plus) ? zero : log_add(zero, plus);
    const double term = log_front + p + (order - 1) * accountant::loss_at(pair, x);
    total = std::isinf(total) ? term : log_add(total, term);
  }
  return total;
}

double divergence_of(const LossPair& pair, double order) {
  const double sigma = pair.sigma;
  const auto shift = static_cast<double>(pair.shift);
  const double gaussian = order / (2 * sigma * sigma);
  switch (pair.kind) {
    case PairKind::kGaussian:
      return gaussian;
    case PairKind::kDiscreteGaussian:
      return shift * shift * gaussian;
    case PairKind::kRevealed:
      return log_add(std::log1p(-pair.q), std::log(pair.q) + (order - 1) * gaussian) / (order - 1);
    case PairKind::kLaplace:
      return log_add(std::log(order / (2 * order - 1)) + (order - 1) / sigma,
                     std::log((order - 1) / (2 * order - 1)) - order / sigma) /
             (order - 1);
    case PairKind::kPure: {
      const double likely = -std::log1p(std::exp(-1 / sigma));
      return log_add(likely + (order - 1) / sigma, likely - order / sigma) / (order - 1);
    }
    default:
      return log_mixture_moment(pair, order) / (order - 1);
  }
}

double divergence_of(const FlatEvent& flat, double order) {
  if (flat.exact || flat.revealed > 0) return kInfinity;
  const auto total = [&](Direction direction) {
    double sum = 0;
    for (const Component& component : flat.in_direction(direction)) {
      sum += static_cast<double>(component.count) *
             std::max(0.0, divergence_of(component.pair, order));
    }
    return sum;
  };
  const double forward = total(Direction::kForward);
  return flat.one_direction ? forward : std::max(forward, total(Direction::kBackward));
}

/// Above the errors of the few operations of a closed form; and above those of ln M, where M is
/// close to 1.
constexpr double kRelativeError = 1e-12;
constexpr double kMomentError = 64 * accountant::kRoundOff;

CertifiedRenyi certified_mixture(const LossPair& pair, double order) {
  constexpr double kWanted = 1e-3;
  constexpr double kMostCells = 250'000;
  constexpr double kMostPoints = 1e6;
  constexpr accountant::TailMass kTail{.left = 1e-40, .right = 1e-40};
  const double theta = order - 1;
  const double distance = pair.kind == PairKind::kSubstitution ? 2 : 1;
  const CertifiedRenyi unsampled{order * distance * distance / (2 * pair.sigma * pair.sigma), 0};
  if (mixture_points(pair, order) > kMostPoints) return unsampled;
  // Connecting the dots adds about theta (theta + 1) h^2 / 12 to ln M. Any h gives a bound.
  const double moment = std::max(log_mixture_moment(pair, order), 1e-15);
  const accountant::Range range = accountant::range_of(pair, kTail);
  const double losses =
      accountant::loss_at(pair, range.high) - accountant::loss_at(pair, range.low);
  const double h = std::max(std::sqrt(12 * kWanted * moment / (theta * order)),
                            std::min(losses, 1000.0) / kMostCells);
  const accountant::GridLoss grid = accountant::discretize_upper(pair, h, kTail);
  const double largest =
      theta * (std::abs(loss_of(grid, 0, h)) + std::abs(loss_of(grid, grid.mass.size(), h)));
  const double rounding =
      accountant::kRoundOff * (static_cast<double>(grid.mass.size()) + 8 * largest) + kMomentError;
  const double sampled = (std::max(0.0, log_moment(grid, theta, h)) + rounding) / theta;
  return sampled < unsampled.divergence ? CertifiedRenyi{sampled, grid.infinite} : unsampled;
}

CertifiedRenyi certified_of(const LossPair& pair, double order) {
  switch (pair.kind) {
    case PairKind::kRemove:
    case PairKind::kAdd:
    case PairKind::kSubstitution:
      return certified_mixture(pair, order);
    case PairKind::kRevealed: {
      const double exponent = (order - 1) * order / (2 * pair.sigma * pair.sigma);
      const double moment = exponent < 700 ? std::log1p(pair.q * std::expm1(exponent)) : exponent;
      return {moment / (order - 1), 0};
    }
    case PairKind::kLaplace:
    case PairKind::kPure: {
      // Whatever is epsilon-DP has a divergence of at most order epsilon^2 / 2.
      const double exact = divergence_of(pair, order) + kMomentError / (order - 1);
      return {std::min(exact, order / (2 * pair.sigma * pair.sigma)), 0};
    }
    default:
      return {divergence_of(pair, order), 0};
  }
}

}  // namespace

Result<CertifiedRenyi> certified_renyi(const PrivacyEvent& event, double order) {
  if (!(order > 1)) {
    return usage_error(fmt::format("a Renyi order must be greater than 1, not {}", order));
  }
  DPFERMI_ASSIGN(const FlatEvent flat, accountant::flatten(event));
  if (flat.exact) return CertifiedRenyi{kInfinity, 0};
  const auto total = [&](Direction direction) {
    CertifiedRenyi sum{0, flat.revealed};
    for (const Component& component : flat.in_direction(direction)) {
      const CertifiedRenyi one = certified_of(component.pair, order);
      const auto count = static_cast<double>(component.count);
      sum.divergence += count * one.divergence;
      sum.infinite += count * one.infinite;
    }
    return sum;
  };
  CertifiedRenyi worst = total(Direction::kForward);
  if (!flat.one_direction) {
    const CertifiedRenyi backward = total(Direction::kBackward);
    worst = {std::max(worst.divergence, backward.divergence),
             std::max(worst.infinite, backward.infinite)};
  }
  return CertifiedRenyi{worst.divergence * (1 + kRelativeError),
                        worst.infinite * (1 + kRelativeError)};
}

Result<double> renyi_divergence(const PrivacyEvent& event, double order) {
  if (!(order > 1)) {
    return usage_error(fmt::format("a Renyi order must be greater than 1, not {}", order));
  }
  DPFERMI_ASSIGN(const FlatEvent flat, accountant::flatten(event));
  return divergence_of(flat, order);
}

double rdp_to_epsilon(double divergence, double order, double delta) {
  const double epsilon =
      divergence + std::log1p(-1 / order) - (std::log(delta) + std::log(order)) / (order - 1);
  return std::max(0.0, epsilon);
}

Result<RdpEpsilon> rdp_epsilon(const PrivacyEvent& event, double delta) {
  if (!(delta > 0 && delta < 1)) {
    return usage_error(fmt::format("delta must lie in (0, 1), not {}", delta));
  }
  DPFERMI_ASSIGN(const FlatEvent flat, accountant::flatten(event));
  const accountant::BestOrder best = accountant::smallest_over_orders(
      [&](double order) { return rdp_to_epsilon(divergence_of(flat, order), order, delta); });
  return RdpEpsilon{best.value, best.order};
}

}  // namespace dpfermi
