#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "audit/bounds.h"

namespace dpfermi {
namespace {

constexpr double kReportLevel = 0.05;  // of the bound on epsilon that is printed beside the verdict

/// Scores of P and Q with the first fifth, on which a threshold is chosen, cut off from the rest.
struct Games {
  std::span<const double> p_choice, q_choice, p_count, q_count;

  Games(std::span<const double> p, std::span<const double> q)
      : p_choice(p.first(p.size() / 5)),
        q_choice(q.first(q.size() / 5)),
        p_count(p.subspan(p.size() / 5)),
        q_count(q.subspan(q.size() / 5)) {}
};

std::uint64_t above(std::span<const double> scores, double threshold) {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(scores, [&](double score) { return score > threshold; }));
}

/// The threshold that maximises P(score > t) - e^epsilon Q(score > t).
double best_threshold(std::span<const double> p, std::span<const double> q, double factor) {
  std::vector<std::pair<double, double>> steps;
  for (const double score : p) steps.emplace_back(score, 1 / static_cast<double>(p.size()));
  for (const double score : q) steps.emplace_back(score, -factor / static_cast<double>(q.size()));
  std::ranges::sort(steps, std::greater<>());
  double value = 0;
  double best = 0;
  double threshold = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    value += steps[i].second;
    const bool ties = i + 1 < steps.size() && steps[i + 1].first == steps[i].first;
    if (ties || value <= best) continue;
    best = value;
    threshold =
        i + 1 < steps.size() ? 0.5 * (steps[i].first + steps[i + 1].first) : steps[i].first - 1;
  }
  return threshold;
}

struct PointResult {
  double delta_observed;
  double p_value;
  TestOutcome outcome;
};

/// Of N games a side, a total variation of delta allows N (1 + delta) right guesses on average.
double p_of_right_guesses(const TestOutcome& outcome, double delta) {
  const auto games = static_cast<double>(outcome.p_games);
  const std::uint64_t right = outcome.said_p_on_p + outcome.q_games - outcome.said_p_on_q;
  if (static_cast<double>(right) < games * (1 + delta) + 1) return 1;
  return binomial_at_least(right, 2 * outcome.p_games, 0.5 * (1 + delta));
}

/// The level at which the bounds on both errors just contradict the claim.
double p_of_error_bounds(const TestOutcome& outcome, const ProfilePoint& claim) {
  const auto refuted = [&](double log_alpha) {
    const ErrorBounds errors = error_bounds(outcome, std::exp(log_alpha));
    return 1 - errors.false_negative - std::exp(claim.epsilon) * errors.false_positive >
           claim.delta;
  };
  double no = -100;
  double yes = 0;
  if (!refuted(yes)) return 1;
  if (refuted(no)) return std::exp(no);
  for (int i = 0; i < 20; ++i) {
    const double middle = 0.5 * (no + yes);
    (refuted(middle) ? yes : no) = middle;
  }
  return std::exp(yes);
}

PointResult test_point(const Games& games, const ProfilePoint& claim) {
  const double factor = std::exp(claim.epsilon);
  const double threshold = best_threshold(games.p_choice, games.q_choice, factor);
  const TestOutcome outcome{games.p_count.size(), above(games.p_count, threshold),
                            games.q_count.size(), above(games.q_count, threshold)};
  const double n = std::max<double>(1, static_cast<double>(outcome.p_games));
  const double seen = (static_cast<double>(outcome.said_p_on_p) -
                       factor * static_cast<double>(outcome.said_p_on_q)) /
                      n;
  const double p_value = claim.epsilon == 0 ? p_of_right_guesses(outcome, claim.delta)
                                            : p_of_error_bounds(outcome, claim);
  return {seen, p_value, outcome};
}

std::vector<double> negated(std::span<const double> scores) {
  std::vector<double> result(scores.begin(), scores.end());
  for (double& score : result) score = -score;
  return result;
}

}  // namespace

ProfileVerdict profile_test(const GameScores& scores, const Profile& claim, double delta) {
  const std::vector<double> minus_p = negated(scores.p);
  const std::vector<double> minus_q = negated(scores.q);
  const double tests = 2 * static_cast<double>(claim.size());
  ProfileVerdict verdict;
  std::tuple<double, double, double> worst{2, 0, 0};
  for (const Games& games : {Games(scores.p, scores.q), Games(minus_q, minus_p)}) {
    for (const ProfilePoint& point : claim) {
      const PointResult result = test_point(games, point);
      verdict.epsilon_bound =
          std::max(verdict.epsilon_bound,
                   epsilon_lower_bound(error_bounds(result.outcome, kReportLevel / tests), delta));
      verdict.p_value = std::min(verdict.p_value, result.p_value * tests);
      // Where nothing is refuted, the point of most power is shown: the first.
      const auto rank = std::tuple(result.p_value, point.epsilon, -result.delta_observed);
      if (rank >= worst) continue;
      worst = rank;
      verdict.epsilon = point.epsilon;
      verdict.delta_claimed = point.delta;
      verdict.delta_observed = result.delta_observed;
    }
  }
  return verdict;
}

}  // namespace dpfermi
