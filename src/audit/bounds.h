#pragma once

/// From outcomes of games to statements about privacy that hold with a stated confidence. Nothing
/// here is an approximation for large samples: every bound is exact or errs against the accuser.
///
/// In a game an attacker guesses, from what was released, which of two neighbours P, Q the data
/// was. (epsilon, delta)-DP is the same as P(A) <= e^epsilon Q(A) + delta for every set A of
/// outputs, so a guesser who is right too often refutes the claim.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/event.h"

namespace dpfermi {

/// P[Bin(trials, p) >= successes] and P[Bin(trials, p) <= successes].
double binomial_at_least(std::uint64_t successes, std::uint64_t trials, double p);
double binomial_at_most(std::uint64_t successes, std::uint64_t trials, double p);

/// Twice the smaller tail, at most 1: the p-value of a count that is claimed to be Bin(trials, p).
double binomial_p(std::uint64_t successes, std::uint64_t trials, double p);

/// Twice the tail of a standard normal beyond |z|.
double normal_p(double z);

/// Clopper and Pearson: the largest rate that is consistent with the count at level alpha,
/// Beta^-1(1 - alpha; successes + 1, trials - successes).
double rate_upper_bound(std::uint64_t successes, std::uint64_t trials, double alpha);

/// Upper bounds on both errors of a test that distinguishes P from Q, right together with
/// probability 1 - alpha.
struct ErrorBounds {
  double false_positive;  ///< says P where it was Q
  double false_negative;  ///< says Q where it was P
};

/// Outcomes of a test: how often it said P.
struct TestOutcome {
  std::uint64_t p_games = 0, said_p_on_p = 0;
  std::uint64_t q_games = 0, said_p_on_q = 0;
};

ErrorBounds error_bounds(const TestOutcome& outcome, double alpha);

/// No mechanism with a smaller epsilon at this delta could be told apart like that:
/// ln((1 - FNR - delta) / FPR), at least 0.
double epsilon_lower_bound(const ErrorBounds& errors, double delta);

/// delta(epsilon) as an accountant claims it, at chosen points.
struct ProfilePoint {
  double epsilon;
  double delta;  ///< certified upper bound
};
using Profile = std::vector<ProfilePoint>;

/// The certified curve of an event. `total_variation` is how far the releases may be from the ideal
/// ones; it costs (1 + e^epsilon) times as much.
Result<Profile> claimed_profile(const PrivacyEvent& event, const std::vector<double>& epsilons,
                                double total_variation = 0);

/// Scores of games, one entry a game; the larger, the more like P.
struct GameScores {
  std::vector<double> p;
  std::vector<double> q;
};

struct ProfileVerdict {
  double epsilon = 0;         ///< the point of the curve that is worst off
  double delta_claimed = 0;   ///< there
  double delta_observed = 0;  ///< the estimate P(A) - e^epsilon Q(A) there
  double p_value = 1;  ///< of all points and both directions together; small: the claim is false
  double epsilon_bound = 0;  ///< epsilon_lower_bound with confidence 0.95, at the delta asked for
};

/// The profile test: refutes a claim wherever P(A) - e^epsilon Q(A) > delta(epsilon), at every
/// point of the claim and in both directions. A = {score > t}; t is chosen on the first fifth of
/// the games, and the others are counted.
///
/// The p-value of one point is the smallest alpha at which 1 - FNR - e^epsilon FPR > delta for the
/// upper bounds of error_bounds(alpha). At epsilon = 0, where both errors count alike, it is
/// sharper: of N games a side a total variation of delta allows N (1 + delta) right guesses on
/// average, and a sum of independent indicators exceeds its mean by one and more at most as often
/// as a binomial one of that mean (Hoeffding 1956). Bonferroni over points and directions.
/// Requires as many games of P as of Q.
ProfileVerdict profile_test(const GameScores& scores, const Profile& claim, double delta = 0);

/// A one-run audit: of `canaries` fair coins, `guesses` were guessed and `right` of them rightly.
struct OneRun {
  std::uint64_t canaries = 0;  ///< m
  std::uint64_t guesses = 0;   ///< r
  std::uint64_t right = 0;     ///< v
};

/// Upper bound on the probability of such a success under (epsilon, delta)-DP:
///   P[Bin(r, e^eps/(1+e^eps)) >= v] + 2 m delta max_i (P[Bin >= v - i] - P[Bin >= v]) / i.
/// (Steinke, Nasr and Jagielski 2023.)
double one_run_p(const OneRun& run, double epsilon, double delta);

/// The largest epsilon that is refuted at level `alpha`: a lower bound with confidence 1 - alpha.
double one_run_epsilon(const OneRun& run, double delta, double alpha);

}  // namespace dpfermi
