#include "privacy/ledger/price.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "dpfermi/core/text.h"

namespace dpfermi::ledger {
namespace {

/// Whether some release of `event` has no noise at all.
struct IsExact {
  bool operator()(const GaussianRelease& e) const { return e.sigma_over_distance == 0; }
  bool operator()(const LaplaceRelease& e) const { return e.scale_over_distance == 0; }
  bool operator()(const DiscreteGaussianRelease& e) const { return e.sigma == 0; }
  // Without noise a sampled release is exact with probability q: epsilon is infinite unless delta
  // covers q, which the ledger leaves to the accountant.
  bool operator()(const PoissonGaussianRelease&) const { return false; }
  bool operator()(const RevealedPoissonGaussianRelease&) const { return false; }
  bool operator()(const ExactRelease&) const { return true; }
  bool operator()(const Composition& e) const {
    return std::ranges::any_of(e.parts, [this](const PrivacyEvent& p) { return of(p); });
  }
  bool operator()(const Repetition& e) const { return e.count > 0 && of(*e.part); }

  bool of(const PrivacyEvent& event) const { return std::visit(*this, event.node()); }
};

std::string short_text(const Amount& amount, Rounding rounding) {
  return shortest(amount.to_double(rounding));
}

Result<Amount> one() {
  return Amount::parse("1", Rounding::kUp);
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

Status check_price(const Charged& charge, const PrivacyEvent& event) {
  if (charge.delta > *one()) {
    return usage_error(
        fmt::format("delta must lie in [0, 1], not {}; check the accountant", charge.delta.text()));
  }
  if (charge.spare > std::numeric_limits<std::uint64_t>::max() - charge.steps) {
    return usage_error("the number of planned and spare steps overflows; plan fewer");
  }
  if (charge.steps + charge.spare > 0 && IsExact().of(event) && !charge.epsilon.is_infinite() &&
      charge.delta < *one()) {
    return usage_error(
        fmt::format("'{}' is released without noise, so its epsilon is infinite, not {}; add noise",
                    printable(charge.purpose), charge.epsilon.text()));
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
