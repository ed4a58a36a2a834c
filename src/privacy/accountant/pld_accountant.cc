#include "dpfermi/privacy/accountant/pld_accountant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "privacy/accountant/closed_form.h"
#include "privacy/accountant/contour.h"
#include "privacy/accountant/flatten.h"
#include "privacy/accountant/gdp_accountant.h"
#include "privacy/accountant/grid_engine.h"
#include "privacy/accountant/normal_tail.h"
#include "privacy/accountant/order_search.h"
#include "privacy/accountant/rdp_accountant.h"

namespace dpfermi {
namespace {

using accountant::ClosedForm;
using accountant::Component;
using accountant::Direction;
using accountant::FlatEvent;
using accountant::GridAnswer;
using accountant::kInfinity;
using accountant::PairKind;

constexpr double kOutward = 1e-12;  // covers the rounding of the event's own parameters
constexpr double kLeastDelta = 1e-100;

CertifiedBound trivial(double value, std::string why) {
  return {value, value, std::move(why), "both", 0, {}};
}

CertifiedBound outward(CertifiedBound bound, double smallest_step) {
  bound.lower = std::max(0.0, bound.lower * (1 - kOutward) - smallest_step);
  bound.upper = bound.upper * (1 + kOutward) + smallest_step;
  return bound;
}

/// The sum of the largest losses: epsilon at delta = 0.
double largest_loss(std::span<const Component> components) {
  double sum = 0;
  for (const Component& component : components) {
    const auto count = static_cast<double>(component.count);
    if (accountant::is_bounded(component.pair.kind)) {
      sum += count / component.pair.sigma;
    } else if (component.pair.kind == PairKind::kAdd) {
      sum -= count * std::log1p(-component.pair.q);
    } else {
      return kInfinity;
    }
  }
  return sum;
}

/// The same in the worse direction.
double largest_loss(const FlatEvent& flat) {
  return std::max(largest_loss(flat.in_direction(Direction::kForward)),
                  largest_loss(flat.in_direction(Direction::kBackward)));
}

/// Without amplification: what the grid falls back to where losses are too large for it. Discrete
/// Gaussians have the Renyi divergence of continuous ones, though not their profile.
double unamplified_epsilon(const FlatEvent& flat, double delta) {
  double mu_squared = flat.mu_squared;
  double pure = 0;
  bool lattice = false;
  for (const Component& component : flat.components) {
    const auto count = static_cast<double>(component.count);
    const double sigma = component.pair.sigma;
    if (accountant::is_bounded(component.pair.kind)) {
      pure += count / sigma;
      continue;
    }
    double distance = component.pair.kind == PairKind::kSubstitution ? 2 : 1;
    if (component.pair.kind == PairKind::kDiscreteGaussian) {
      distance = static_cast<double>(component.pair.shift);
      lattice = true;
    }
    mu_squared += count * (distance / sigma) * (distance / sigma);
  }
  if (mu_squared == 0) return pure;
  if (lattice) {
    const auto converted = [&](double order) {
      return rdp_to_epsilon(order * mu_squared / 2, order, delta);
    };
    return pure + accountant::smallest_over_orders(converted).value;
  }
  return pure + gdp_epsilon(std::sqrt(mu_squared), delta);
}

/// Each step adds its rounding to the grid's bounds; a smaller epsilon is beyond them.
bool too_small_for_grid(std::span<const Component> components, double epsilon) {
  double count = 0;
  for (const Component& component : components) count += static_cast<double>(component.count);
  return epsilon <= 1024 * accountant::kRoundOff * count;
}

/// The grid handles single losses up to 500; a bounded pair must lie inside altogether, and of a
/// Gaussian one at least something.
bool too_large_for_grid(std::span<const Component> components) {
  return std::ranges::any_of(components, [](const Component& component) {
    const double least_sigma = accountant::is_bounded(component.pair.kind) ? 1.0 / 500 : 0.01;
    return component.pair.sigma < least_sigma;
  });
}

CertifiedBound epsilon_one_way(const FlatEvent& flat, Direction direction, double delta,
                               const PldOptions& options, double enough) {
  const std::vector<Component> components = flat.in_direction(direction);
  if (options.closed_forms) {
    if (const auto form = ClosedForm::of(components, delta)) {
      const ClosedForm::Bracket bracket = form->epsilon(delta);
      // Rounding can drown a closed form; what follows then still holds.
      if (std::isfinite(bracket.upper)) {
        return {bracket.lower, bracket.upper, "closed form", "both", 0, {}};
      }
    }
  }
  const double unamplified = unamplified_epsilon(flat, delta);
  CertifiedBound bound{0, unamplified, "no amplification", "both", 0, {}};
  if (!too_large_for_grid(components) && !too_small_for_grid(components, unamplified)) {
    const GridAnswer answer = grid_epsilon(components, delta, options.tolerance, enough);
    bound = {answer.lower, std::min(answer.upper, unamplified), "grid", "both", answer.points, {}};
  }
  if (bound.upper - bound.lower > options.tolerance * std::max(1.0, bound.lower)) {
    for (const Component& part : components) {  // the whole costs at least one step of it
      const Component step{part.pair, 1};
      const auto form = ClosedForm::of({&step, 1}, delta);
      bound.lower = std::max(bound.lower, form->epsilon(delta).lower);
    }
  }
  return bound;
}

CertifiedBound delta_one_way(const FlatEvent& flat, Direction direction, double epsilon,
                             const PldOptions& options, double enough) {
  const std::vector<Component> components = flat.in_direction(direction);
  if (options.closed_forms) {
    if (const auto form = ClosedForm::of(components, 1e-30)) {
      const accountant::Approximate delta = form->delta(epsilon);
      return {delta.value - delta.error, delta.value + delta.error, "closed form", "both", 0, {}};
    }
  }
  if (too_large_for_grid(components)) return {0, 1, "no amplification", "both", 0, {}};
  const GridAnswer answer = grid_delta(components, epsilon, options.tolerance, enough);
  return {answer.lower, answer.upper, "grid", "both", answer.points, {}};
}

/// The worse of two directions, from a function of the direction, the options and an upper bound
/// that is good enough. The second direction is first tried on a coarse grid: often that already
/// shows that it does not bind.
template <class OneWay>
CertifiedBound worse_direction(const FlatEvent& flat, const PldOptions& options,
                               const OneWay& one_way) {
  CertifiedBound forward = one_way(Direction::kForward, options, 0.0);
  if (flat.one_direction) return forward;
  PldOptions coarse = options;
  coarse.tolerance *= 8;
  CertifiedBound backward = one_way(Direction::kBackward, coarse, forward.upper);
  if (backward.upper > forward.upper) {
    backward = one_way(Direction::kBackward, options, forward.upper);
  }
  const bool forward_binds = forward.upper >= backward.upper;
  CertifiedBound worse = forward_binds ? forward : backward;
  worse.direction = forward_binds ? "remove" : "add";
  worse.lower = std::max(forward.lower, backward.lower);
  worse.upper = std::max(forward.upper, backward.upper);
  return worse;
}

/// Fails where the contour engine gives a value outside the certified bounds.
Status cross_check(const FlatEvent& flat, double delta, double asked, bool asked_delta,
                   CertifiedBound& bound) {
  if (bound.method != "grid") return {};
  std::optional<double> worst;
  for (const Direction direction : {Direction::kForward, Direction::kBackward}) {
    if (direction == Direction::kBackward && flat.one_direction) continue;
    const std::vector<Component> components = flat.in_direction(direction);
    const auto value = asked_delta ? accountant::contour_delta(components, asked)
                                   : accountant::contour_epsilon(components, delta);
    if (!value) return {};
    worst = std::max(worst.value_or(0), *value);
  }
  bound.second_opinion = worst;
  const double slack = asked_delta ? 1e-6 * bound.upper : 1e-6 * std::max(1.0, bound.upper);
  if (*worst < bound.lower - slack || *worst > bound.upper + slack) {
    return failed(fmt::format(
        "two accountants disagree: {} lies outside the certified [{}, {}]; report this event",
        *worst, bound.lower, bound.upper));
  }
  return {};
}

}  // namespace

Result<CertifiedBound> certified_epsilon(const PrivacyEvent& event, double delta,
                                         const PldOptions& options) {
  if (!(delta >= 0 && delta <= 1) || (delta > 0 && delta < kLeastDelta)) {
    return usage_error(
        fmt::format("delta must be 0 or lie in [{:g}, 1], not {}", kLeastDelta, delta));
  }
  DPFERMI_ASSIGN(const FlatEvent flat, accountant::flatten(event));
  if (delta == 1) return trivial(0, "delta is 1");
  if (flat.exact) return trivial(kInfinity, "released without noise");
  if (flat.revealed > 0) {
    CertifiedBound bound = trivial(kInfinity, "sampled and released without noise");
    if (delta >= flat.revealed) bound.lower = 0;
    return bound;
  }
  if (flat.components.empty() && flat.mu_squared == 0) return trivial(0, "nothing was released");
  if (delta == 0) {
    return outward(trivial(largest_loss(flat), "largest loss"), 0);
  }
  CertifiedBound bound = worse_direction(
      flat, options, [&](Direction direction, const PldOptions& with, double enough) {
        return epsilon_one_way(flat, direction, delta, with, enough);
      });
  bound = outward(std::move(bound), 1e-15);
  if (options.cross_check) DPFERMI_TRY(cross_check(flat, delta, 0, false, bound));
  return bound;
}

Result<CertifiedBound> certified_delta(const PrivacyEvent& event, double epsilon,
                                       const PldOptions& options) {
  if (!(epsilon >= 0)) {
    return usage_error(fmt::format("epsilon must be a number >= 0, not {}", epsilon));
  }
  DPFERMI_ASSIGN(const FlatEvent flat, accountant::flatten(event));
  if (flat.exact) return trivial(1, "released without noise");
  if (std::isinf(epsilon)) return trivial(flat.revealed, "epsilon is infinite");
  if (flat.revealed > 0) {
    CertifiedBound bound = trivial(1, "sampled and released without noise");
    bound.lower = flat.revealed;
    return bound;
  }
  if (flat.components.empty() && flat.mu_squared == 0) return trivial(0, "nothing was released");
  if (epsilon >= (1 + kOutward) * largest_loss(flat)) return trivial(0, "beyond the largest loss");
  CertifiedBound bound = worse_direction(
      flat, options, [&](Direction direction, const PldOptions& with, double enough) {
        return delta_one_way(flat, direction, epsilon, with, enough);
      });
  bound = outward(std::move(bound), 0);
  bound.upper = std::min(bound.upper, 1.0);
  if (options.cross_check) DPFERMI_TRY(cross_check(flat, 0, epsilon, true, bound));
  return bound;
}

}  // namespace dpfermi
