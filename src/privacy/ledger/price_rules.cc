#include "privacy/ledger/price_rules.h"

#include <fmt/format.h>

#include <cmath>

#include "core/text.h"
#include "privacy/accountant/gdp_accountant.h"
#include "privacy/ledger/composition.h"

namespace dpfermi::ledger {
namespace {

/// The logarithm of the probability that a unit stays out of every release without noise. Such a
/// release is exact for every unit in it, and a sampled one has a unit in it with probability q.
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

/// The smallest delta with which the releases of `whole` can have a finite epsilon: the
/// probability 1 - prod (1 - q_i) that one of them is exact. Rounded down by more than its own
/// rounding errors, so that a caller who computed the same number is not refused.
Result<Amount> least_delta(const PrivacyEvent& whole) {
  const double log_untouched = LogUntouched().of(whole);
  if (std::isinf(log_untouched)) return Amount::one();
  return Amount::from(-std::expm1(log_untouched) * (1 - 1e-12), Rounding::kDown);
}

std::string short_text(const Amount& amount, Rounding rounding) {
  const double value = amount.to_double(rounding);
  return rounding == Rounding::kUp ? rounded_up(value) : rounded_down(value);
}

/// What a charge would take from a filter, and what is left of it, as releases of Gaussian noise.
std::string filter_text(const Charged& charge, const BudgetState& budget,
                        const BudgetState& after) {
  const RenyiAmount left = budget.left_renyi();
  const RenyiFilter& filter = *budget.cap->filter;
  const Amount divergence = after.spent_renyi.divergence.less(budget.spent_renyi.divergence);
  const Amount failure = after.spent_renyi.failure.less(budget.spent_renyi.failure);
  std::string text = fmt::format(
      "it needs a Renyi divergence of {:.4g} and a failure probability of {:.4g} at order {} but "
      "{:.4g} and {:.4g} are left of {:.4g}, {:.4g}; ",
      divergence.to_double(Rounding::kUp), failure.to_double(Rounding::kUp), filter.order.text(),
      left.divergence.to_double(Rounding::kDown), left.failure.to_double(Rounding::kDown),
      filter.divergence.to_double(Rounding::kDown), filter.failure.to_double(Rounding::kDown));
  const double delta = charge.delta.to_double(Rounding::kDown);
  const double order = filter.order.to_double(Rounding::kUp);
  const double mu = std::sqrt(2 * left.divergence.to_double(Rounding::kDown) / order);
  if (!(mu > 0) || !(delta > 0) || failure > left.failure) {
    return text + "no such release would fit";
  }
  return text + fmt::format("Gaussian noise of about epsilon {:.2g} with delta {} would fit",
                            gdp_epsilon(mu, delta), shortest(delta));
}

}  // namespace

Status check_cap(const BudgetCap& cap) {
  if (cap.epsilon.is_infinite() || cap.epsilon == Amount()) {
    return usage_error(
        fmt::format("a budget's epsilon must be > 0 and finite, not {}; give a number "
                    "such as 1",
                    cap.epsilon.text()));
  }
  if (cap.delta >= Amount::one()) {
    return usage_error(fmt::format(
        "a budget's delta must be < 1, not {}; give a number such as 1e-6", cap.delta.text()));
  }
  return cap.filter ? check_filter(cap) : Status();
}

Status check_price(const Charged& charge, const PrivacyEvent& whole) {
  if (charge.delta > Amount::one()) {
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

Status refusal(const Charged& charge, Adjacency made, const BudgetState& budget,
               const BudgetState& after) {
  const std::string what = budget.adjacency == made
                               ? fmt::format("'{}'", printable(charge.purpose))
                               : fmt::format("'{}' under {} about the same data",
                                             printable(charge.purpose), to_string(made));
  const std::string start = fmt::format("budget '{}' does not cover {}: ", budget.name, what);
  const Price price = counted_under(budget.adjacency, made, {charge.epsilon, charge.delta});
  if (budget.adjacency != made && price.epsilon.is_infinite() && !charge.epsilon.is_infinite()) {
    return budget_refused(
        fmt::format("{}it protects more ({}) than such a release does; use `adjacency` {}", start,
                    to_string(budget.adjacency), to_string(budget.adjacency)));
  }
  if (budget.cap->filter && !price.epsilon.is_infinite()) {
    return budget_refused(start + filter_text(charge, budget, after));
  }
  const Amount epsilon = budget.left_epsilon();
  const Amount delta = budget.left_delta();
  const std::string advice =
      epsilon == Amount()
          ? "nothing more can be released about these data"
          : fmt::format("epsilon <= {} with delta <= {} would fit",
                        short_text(epsilon, Rounding::kDown), short_text(delta, Rounding::kDown));
  return budget_refused(fmt::format(
      "{}it needs epsilon {}, delta {} but epsilon {}, delta {} are left of {}, {}; {}", start,
      short_text(price.epsilon, Rounding::kUp), short_text(price.delta, Rounding::kUp),
      short_text(epsilon, Rounding::kDown), short_text(delta, Rounding::kDown),
      short_text(budget.cap->epsilon, Rounding::kDown),
      short_text(budget.cap->delta, Rounding::kDown), advice));
}

Status seed_refusal(const BudgetState& budget) {
  return budget_refused(
      fmt::format("budget '{}' has a limit, and noise of a known `seed` can be subtracted by "
                  "anyone; leave out "
                  "`seed`, or declare a `rehearsal` if the data are synthetic",
                  budget.name));
}

}  // namespace dpfermi::ledger
