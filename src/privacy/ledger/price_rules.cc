#include "privacy/ledger/price_rules.h"

#include <fmt/format.h>

#include <cmath>

#include "core/text.h"

namespace dpfermi::ledger {
namespace {

Result<Amount> one() {
  return Amount::parse("1", Rounding::kUp);
}

/// The logarithm of the probability that a unit stays out of every release without noise. Such a
/// release is exact for whoever is in it, and a sampled one has a unit in it with probability q.
struct LogUntouched {
  static double without_noise(bool exact, double q = 1) { return exact ? std::log1p(-q) : 0; }
  static double repeated(double log, std::uint64_t count) {
    return count == 0 ? 0 : log * static_cast<double>(count);
  }

  double operator()(const GaussianRelease& e) const {
    return without_noise(e.sigma_over_distance == 0);
  }
  double operator()(const LaplaceRelease& e) const {
    return without_noise(e.scale_over_distance == 0);
  }
  double operator()(const DiscreteGaussianRelease& e) const { return without_noise(e.sigma == 0); }
  double operator()(const PoissonGaussianRelease& e) const {
    return without_noise(e.noise_multiplier == 0, e.q);
  }
  double operator()(const RevealedPoissonGaussianRelease& e) const {
    return without_noise(e.sigma_over_distance == 0, e.q);
  }
  double operator()(const PureRelease& e) const { return without_noise(std::isinf(e.epsilon)); }
  double operator()(const ExactRelease&) const { return without_noise(true); }
  double operator()(const Composition& e) const {
    double sum = 0;
    for (const PrivacyEvent& part : e.parts) sum += of(part);
    return sum;
  }
  double operator()(const Repetition& e) const { return repeated(of(*e.part), e.count); }

  double of(const PrivacyEvent& event) const { return std::visit(*this, event.node()); }
};

/// The smallest delta with which the releases of `whole` can have a finite epsilon: the probability
/// 1 - prod (1 - q_i) that one of them is exact. Rounded down by more than its own rounding errors,
/// so that nobody who computed the same number is refused.
Result<Amount> least_delta(const PrivacyEvent& whole) {
  const double log_untouched = LogUntouched().of(whole);
  if (std::isinf(log_untouched)) return one();
  return Amount::from(-std::expm1(log_untouched) * (1 - 1e-12), Rounding::kDown);
}

std::string short_text(const Amount& amount, Rounding rounding) {
  return shortest(amount.to_double(rounding));
}

}  // namespace

Status check_cap(const BudgetCap& cap) {
  if (cap.epsilon.is_infinite() || cap.epsilon == Amount()) {
    return usage_error(
        fmt::format("a budget's epsilon must be > 0 and finite, not {}; give a number "
                    "such as 1",
                    cap.epsilon.text()));
  }
  if (cap.delta >= *one()) {
    return usage_error(fmt::format(
        "a budget's delta must be < 1, not {}; give a number such as 1e-6", cap.delta.text()));
  }
  return {};
}

Status check_price(const Charged& charge, const PrivacyEvent& whole) {
  if (charge.delta > *one()) {
    return usage_error(
        fmt::format("delta must lie in [0, 1], not {}; check the accountant", charge.delta.text()));
  }
  DPFERMI_ASSIGN(const Amount least, least_delta(whole));
  if (charge.delta < least && !charge.epsilon.is_infinite()) {
    return usage_error(fmt::format(
        "'{}' is released without noise, so its epsilon is infinite, not {}, unless "
        "delta is at least {}; add noise",
        printable(charge.purpose), charge.epsilon.text(), short_text(least, Rounding::kUp)));
  }
  return {};
}

Status refusal(const Charged& charge, const BudgetState& budget) {
  const Amount epsilon = budget.left_epsilon();
  const Amount delta = budget.left_delta();
  const std::string advice =
      epsilon == Amount()
          ? "nothing more can be released about these data"
          : fmt::format("epsilon <= {} with delta <= {} would fit",
                        short_text(epsilon, Rounding::kDown), short_text(delta, Rounding::kDown));
  return budget_refused(fmt::format(
      "budget '{}' does not cover '{}': it needs epsilon {}, delta {} but epsilon {}, delta {} are "
      "left of {}, {}; {}",
      budget.name, printable(charge.purpose), short_text(charge.epsilon, Rounding::kUp),
      short_text(charge.delta, Rounding::kUp), short_text(epsilon, Rounding::kDown),
      short_text(delta, Rounding::kDown), short_text(budget.cap->epsilon, Rounding::kDown),
      short_text(budget.cap->delta, Rounding::kDown), advice));
}

}  // namespace dpfermi::ledger
