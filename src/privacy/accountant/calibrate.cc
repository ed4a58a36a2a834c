#include "dpfermi/privacy/accountant/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "privacy/accountant/boundary_search.h"
#include "privacy/accountant/estimate.h"

namespace dpfermi {
namespace {

using accountant::BoundarySearch;
using accountant::Excess;

constexpr double kLeastNoise = 1e-6;
constexpr double kMostNoise = 1e12;
constexpr double kLeastRate = 1e-12;
constexpr double kClose = 3e-4;  // relative to the target: what a search leaves unspent at most
constexpr std::uint64_t kMostSteps = 1ULL << 40;

Status check_budget(double epsilon, double delta) {
  if (!(epsilon > 0)) {
    return usage_error(fmt::format("the target epsilon must be > 0, not {}", epsilon));
  }
  if (!(delta >= 0 && delta < 1)) {
    return usage_error(fmt::format("the target delta must lie in [0, 1), not {}", delta));
  }
  return {};
}

using EventAt = std::function<Result<PrivacyEvent>(double)>;

/// A parameter that meets the target, with its certificate.
struct Found {
  double x;
  CertifiedBound bound;
};

class Target {
 public:
  Target(double epsilon, double delta) : epsilon_(epsilon), delta_(delta) {
    options_.tolerance = 1e-3 * std::min(1.0, epsilon);
    options_.cross_check = false;
  }

  Result<CertifiedBound> certify(const PrivacyEvent& event) const {
    return certified_epsilon(event, delta_, options_);
  }

  /// Solves by cheap estimates first, then closes in with certified bounds. `at` maps x to an event
  /// whose epsilon falls with x.
  Result<std::optional<Found>> solve(const EventAt& at, double low, double high, double start,
                                     double close, const std::function<double(double)>& gap) const {
    const auto estimate = [&](double x) -> Result<double> {
      DPFERMI_ASSIGN(const PrivacyEvent event, at(x));
      if (delta_ == 0) {  // the certified bound is cheap, and what the estimates divide by is not 0
        DPFERMI_ASSIGN(const CertifiedBound bound, certify(event));
        return std::log(bound.upper / epsilon_);
      }
      DPFERMI_ASSIGN(const double epsilon, accountant::estimate_epsilon(event, delta_));
      return std::log(epsilon / epsilon_);
    };
    std::map<double, CertifiedBound> seen;
    const auto certified = [&](double x) -> Result<double> {
      DPFERMI_ASSIGN(const PrivacyEvent event, at(x));
      DPFERMI_ASSIGN(const CertifiedBound bound, certify(event));
      seen[x] = bound;
      return std::log(bound.upper / epsilon_);
    };
    const BoundarySearch rough{estimate, low, high, start, -1, 1e-3, [](double) { return 1e-4; }};
    DPFERMI_ASSIGN(const std::optional<Excess> guess, rough.run());
    double slope = -1;
    if (guess) {
      DPFERMI_ASSIGN(const double beside, estimate(std::min(high, guess->x + 0.02)));
      slope = (beside - guess->excess) / 0.02;
      slope = std::isnan(slope) ? -1 : std::clamp(slope, -10.0, -0.2);
    }
    const BoundarySearch fine{certified, low, high, guess ? guess->x : high, slope, close, gap};
    DPFERMI_ASSIGN(const std::optional<Excess> found, fine.run());
    if (!found) return std::optional<Found>();
    return std::optional<Found>({found->x, seen.at(found->x)});
  }

 private:
  double epsilon_;
  double delta_;
  PldOptions options_;
};

double fixed_gap(double) {
  return 1e-7;
}

}  // namespace

Result<Calibrated> calibrate_noise(const EventFamily& family, double epsilon, double delta) {
  DPFERMI_TRY(check_budget(epsilon, delta));
  if (std::isinf(epsilon)) return Calibrated{0, epsilon, 0};
  const Target target(epsilon, delta);
  DPFERMI_ASSIGN(const PrivacyEvent without, family(0.0));
  DPFERMI_ASSIGN(const CertifiedBound free, target.certify(without));
  if (free.upper <= epsilon) return Calibrated{0, free.upper, free.lower};
  const EventAt at = [&](double x) { return family(std::exp(x)); };
  DPFERMI_ASSIGN(
      const std::optional<Found> found,
      target.solve(at, std::log(kLeastNoise), std::log(kMostNoise), 0.0, kClose, fixed_gap));
  if (!found) {
    return failed(fmt::format(
        "no noise up to {:g} meets epsilon {:g} at delta {:g}; raise either, or take fewer steps",
        kMostNoise, epsilon, delta));
  }
  return Calibrated{std::exp(found->x), found->bound.upper, found->bound.lower};
}

Result<Calibrated> calibrate_rate(const EventFamily& family, double epsilon, double delta) {
  DPFERMI_TRY(check_budget(epsilon, delta));
  if (std::isinf(epsilon)) return Calibrated{1, epsilon, 0};
  const Target target(epsilon, delta);
  const EventAt at = [&](double x) { return family(std::min(1.0, std::exp(-x))); };
  DPFERMI_ASSIGN(const std::optional<Found> found,
                 target.solve(at, 0.0, -std::log(kLeastRate), 3.0, kClose, fixed_gap));
  if (found) {
    return Calibrated{std::min(1.0, std::exp(-found->x)), found->bound.upper, found->bound.lower};
  }
  DPFERMI_ASSIGN(const PrivacyEvent nothing, family(0.0));
  DPFERMI_ASSIGN(const CertifiedBound bound, target.certify(nothing));
  if (bound.upper <= epsilon) return Calibrated{0, bound.upper, bound.lower};
  return failed(
      fmt::format("no sampling rate meets epsilon {:g} at delta {:g}; add noise", epsilon, delta));
}

Result<CalibratedSteps> calibrate_steps(const PrivacyEvent& first, const PrivacyEvent& step,
                                        double epsilon, double delta) {
  DPFERMI_TRY(check_budget(epsilon, delta));
  const Target target(epsilon, delta);
  const auto after = [&](std::uint64_t steps) {
    return PrivacyEvent::create(first.adjacency(), Composition{{first, step.times(steps)}});
  };
  const auto steps_at = [](double x) { return static_cast<std::uint64_t>(std::exp(-x) + 1e-9); };
  const EventAt at = [&](double x) { return after(steps_at(x)); };
  DPFERMI_ASSIGN(const PrivacyEvent none, after(0));
  DPFERMI_ASSIGN(const CertifiedBound before, target.certify(none));
  if (before.upper > epsilon) {
    return failed(fmt::format("the first release alone costs epsilon {:g} of {:g}; add noise to it",
                              before.upper, epsilon));
  }
  DPFERMI_ASSIGN(const PrivacyEvent one, after(1));
  DPFERMI_ASSIGN(const CertifiedBound single, target.certify(one));
  if (single.upper > epsilon) return CalibratedSteps{0, before.upper, before.lower};
  DPFERMI_ASSIGN(const std::optional<Found> found,
                 target.solve(at, -std::log(static_cast<double>(kMostSteps)), 0.0, -6.0, 0.0,
                              [](double x) { return 0.9 * std::exp(x); }));
  if (!found) return CalibratedSteps{1, single.upper, single.lower};
  return CalibratedSteps{steps_at(found->x), found->bound.upper, found->bound.lower};
}

Result<SplitBudget> split_budget(const EventFamily& first, const EventFamily& step,
                                 std::uint64_t steps, double share, double epsilon, double delta) {
  if (!(share > 0 && share < 1)) {
    return usage_error(fmt::format("the first release's share must lie in (0, 1), not {}", share));
  }
  DPFERMI_ASSIGN(const Calibrated head, calibrate_noise(first, share * epsilon, delta));
  DPFERMI_ASSIGN(const PrivacyEvent opening, first(head.value));
  const EventFamily together = [&](double noise) -> Result<PrivacyEvent> {
    DPFERMI_ASSIGN(const PrivacyEvent part, step(noise));
    return PrivacyEvent::create(opening.adjacency(), Composition{{opening, part.times(steps)}});
  };
  DPFERMI_ASSIGN(const Calibrated all, calibrate_noise(together, epsilon, delta));
  return SplitBudget{head.value, all.value, head.epsilon, all.epsilon};
}

}  // namespace dpfermi
