#include "audit/bounds.h"

#include <algorithm>
#include <boost/math/policies/policy.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

#include "dpfermi/privacy/accountant/pld_accountant.h"

namespace dpfermi {
namespace {

/// Nothing throws: what is out of range comes out as 0 or infinity.
using Quiet = boost::math::policies::policy<
    boost::math::policies::overflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::underflow_error<boost::math::policies::ignore_error>,
    boost::math::policies::evaluation_error<boost::math::policies::ignore_error>>;

}  // namespace

double binomial_at_least(std::uint64_t successes, std::uint64_t trials, double p) {
  if (successes == 0 || p >= 1) return 1;
  if (successes > trials || p <= 0) return 0;
  const auto k = static_cast<double>(successes);
  return boost::math::ibeta(k, static_cast<double>(trials) - k + 1, p, Quiet());
}

double binomial_at_most(std::uint64_t successes, std::uint64_t trials, double p) {
  if (successes >= trials || p <= 0) return 1;
  if (p >= 1) return 0;
  const auto k = static_cast<double>(successes);
  return boost::math::ibetac(k + 1, static_cast<double>(trials) - k, p, Quiet());
}

double binomial_p(std::uint64_t successes, std::uint64_t trials, double p) {
  const double tail =
      std::min(binomial_at_least(successes, trials, p), binomial_at_most(successes, trials, p));
  return std::min(1.0, 2 * tail);
}

double normal_p(double z) {
  return std::erfc(std::abs(z) / std::sqrt(2.0));
}

double rate_upper_bound(std::uint64_t successes, std::uint64_t trials, double alpha) {
  if (successes >= trials) return 1;
  const auto k = static_cast<double>(successes);
  return boost::math::ibetac_inv(k + 1, static_cast<double>(trials) - k, alpha, Quiet());
}

ErrorBounds error_bounds(const TestOutcome& outcome, double alpha) {
  return {rate_upper_bound(outcome.said_p_on_q, outcome.q_games, alpha / 2),
          rate_upper_bound(outcome.p_games - outcome.said_p_on_p, outcome.p_games, alpha / 2)};
}

double epsilon_lower_bound(const ErrorBounds& errors, double delta) {
  const double power = 1 - errors.false_negative - delta;
  if (power <= errors.false_positive) return 0;
  return std::log(power / errors.false_positive);
}

Result<Profile> claimed_profile(const PrivacyEvent& event, const std::vector<double>& epsilons,
                                double total_variation) {
  Profile profile;
  for (const double epsilon : epsilons) {
    DPFERMI_ASSIGN(const CertifiedBound bound, certified_delta(event, epsilon));
    profile.push_back(
        {epsilon, std::min(1.0, bound.upper + (1 + std::exp(epsilon)) * total_variation)});
  }
  return profile;
}

double one_run_p(const OneRun& run, double epsilon, double delta) {
  const double q = 1 / (1 + std::exp(-epsilon));
  const double tail = binomial_at_least(run.right, run.guesses, q);
  double steepest = 0;
  for (std::uint64_t i = 1; delta > 0 && i <= run.right; ++i) {
    const double more = binomial_at_least(run.right - i, run.guesses, q);
    steepest = std::max(steepest, (more - tail) / static_cast<double>(i));
    // All further terms are at most (1 - tail) / i.
    if ((1 - tail) / static_cast<double>(i + 1) < steepest) break;
  }
  return std::min(1.0, tail + 2 * static_cast<double>(run.canaries) * delta * steepest);
}

double one_run_epsilon(const OneRun& run, double delta, double alpha) {
  double low = 0;
  double high = 64;
  if (one_run_p(run, low, delta) > alpha) return 0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (one_run_p(run, middle, delta) <= alpha ? low : high) = middle;
  }
  return low;
}

}  // namespace dpfermi
