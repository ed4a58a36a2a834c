#include "privacy/accountant/rdp_accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

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

/// ln E_Q[e^{alpha L}] = ln E_P[e^{(alpha-1) L}] of a Gaussian mixture pair, by the trapezoid rule,
/// which converges geometrically for this integrand.
double log_mixture_moment(const LossPair& pair, double order) {
  const double sigma = pair.sigma;
  const double step = sigma * std::min(0.25, 0.4 * sigma);
  // The loss has a slope of at most 2 / sigma^2, so (dP/dQ)^(alpha-1) moves the mass of P by at
  // most 2 (alpha - 1) units to the right.
  const double low = -1 - 14 * sigma;
  const double high = 2 * order + 1 + 14 * sigma;
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

}  // namespace

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
