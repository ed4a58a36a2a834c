#include "dpfermi/privacy/accountant/calibrate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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
constexpr std::uint64_t kMostSteps = 1ULL << 40;

Status check_budget(double epsilon, double delta) {
  if (!(epsilon > 0)) {
    return usage_error(fmt::format("the target epsilon must be > 0, not {}", epsilon));
  }
  if (!(delta > 0 && delta < 1)) {
    return usage_error(fmt::format("the target delta must lie in (0, 1), not {}", delta));
  }
  return {};
}

/// Certified bounds at a parameter, and ln(epsilon / target) from the upper one.
class Target {
 public:
  Target(double epsilon, double delta) : epsilon_(epsilon), delta_(delta) {
    options_.tolerance = 1e-3 * std::min(1.0, epsilon);
    options_.cross_check = false;
  }

  Result<CertifiedBound> certify(const PrivacyEvent& event) const {
    return certified_epsilon(event, delta_, options_);
  }

  Result<double> excess(const PrivacyEvent& event) const {
    DPFERMI_ASSIGN(const CertifiedBound bound, certify(event));
    return std::log(bound.upper / epsilon_);
  }

  Result<double> estimated_excess(const PrivacyEvent& event) const {
    DPFERMI_ASSIGN(const double epsilon, accountant::estimate_epsilon(event, delta_));
    return std::log(epsilon / epsilon_);
  }

 private:
  double epsilon_;
  double delta_;
  PldOptions options_;
};

using EventAt = std::function<Result<PrivacyEvent>(double)>;

/// Solves by cheap estimates first, then closes in with certified bounds. `at` maps x to an event
/// whose epsilon falls with x.
Result<std::optional<Excess>> solve(const EventAt& at, const Target& target, double low,
                                    double high, double start,
                                    const std::function<double(double)>& gap) {
  const auto with = [&at](auto measure) {
    return [&at, measure](double x) -> Result<double> {
      DPFERMI_ASSIGN(const PrivacyEvent event, at(x));
      return measure(event);
    };
  };
  const auto estimate = with([&](const PrivacyEvent& e) { return target.estimated_excess(e); });
  const auto certified = with([&](const PrivacyEvent& e) { return target.excess(e); });
  const BoundarySearch rough{estimate, low, high, start, -1.0, 1e-3, [](double) { return 1e-4; }};
  DPFERMI_ASSIGN(const std::optional<Excess> guess, rough.run());
  double slope = -1;
  if (guess) {
    DPFERMI_ASSIGN(const double beside, estimate(std::min(high, guess->x + 0.02)));
    slope = std::clamp((beside - guess->excess) / 0.02, -10.0, -0.2);
    if (std::isnan(slope)) slope = -1;
  }
  const BoundarySearch fine{certified, low, high, guess ? guess->x : high, slope, 3e-4, gap};
  return fine.run();
}

Result<Calibrated> certified_at(const EventAt& at, const Target& target, double x, double value) {
  DPFERMI_ASSIGN(const PrivacyEvent event, at(x));
  DPFERMI_ASSIGN(const CertifiedBound bound, target.certify(event));
  return Calibrated{value, bound.upper, bound.lower};
}

}  // namespace

Result<Calibrated> calibrate_noise(const EventFamily& family, double epsilon, double delta) {
  DPFERMI_TRY(check_budget(epsilon, delta));
  if (std::isinf(epsilon)) return Calibrated{0, epsilon, 0};
  const Target target(epsilon, delta);
  const EventAt at = [&](double x) { return family(std::exp(x)); };
  DPFERMI_ASSIGN(const std::optional<Excess> found,
                 solve(at, target, std::log(kLeastNoise), std::log(kMostNoise), 0.0,
                       [](double) { return 1e-7; }));
  if (!found) {
    return failed(fmt::format(
        "no noise up to {:g} meets epsilon {:g} at delta {:g}; raise either, or take fewer steps",
        kMostNoise, epsilon, delta));
  }
  return certified_at(at, target, found->x, std::exp(found->x));
}

Result<Calibrated> calibrate_rate(const EventFamily& family, double epsilon, double delta) {
  DPFERMI_TRY(check_budget(epsilon, delta));
  if (std::isinf(epsilon)) return Calibrated{1, epsilon, 0};
  const Target target(epsilon, delta);
  const EventAt at = [&](double x) { return family(std::min(1.0, std::exp(-x))); };
  DPFERMI_ASSIGN(const std::optional<Excess> found,
                 solve(at, target, 0.0, -std::log(kLeastRate), 3.0, [](double) { return 1e-7; }));
  if (!found) {
    const EventAt none = [&](double) { return family(0.0); };
    DPFERMI_ASSIGN(const Calibrated nothing, certified_at(none, target, 0, 0));
    if (nothing.epsilon <= epsilon) return nothing;
    return failed(fmt::format("no sampling rate meets epsilon {:g} at delta {:g}; add noise",
                              epsilon, delta));
  }
  return certified_at(at, target, found->x, std::min(1.0, std::exp(-found->x)));
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
    return failed(
        fmt::format("the first release alone costs epsilon {:g} of {:g}; give it more noise",
                    before.upper, epsilon));
  }
  DPFERMI_ASSIGN(const PrivacyEvent one, after(1));
  DPFERMI_ASSIGN(const CertifiedBound single, target.certify(one));
  if (single.upper > epsilon) return CalibratedSteps{0, before.upper, before.lower};
  DPFERMI_ASSIGN(const std::optional<Excess> found,
                 solve(at, target, -std::log(static_cast<double>(kMostSteps)), 0.0, -6.0,
                       [](double x) { return 0.9 * std::exp(x); }));
  const std::uint64_t steps = found ? steps_at(found->x) : 1;
  DPFERMI_ASSIGN(const PrivacyEvent all, after(steps));
  DPFERMI_ASSIGN(const CertifiedBound bound, target.certify(all));
  return CalibratedSteps{steps, bound.upper, bound.lower};
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
