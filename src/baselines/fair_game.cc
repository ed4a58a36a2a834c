#include "baselines/fair_game.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "baselines/cost_learner.h"
#include "baselines/linear_program.h"

namespace dpfermi {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLeastTolerance = 1e-3;  // 1 / gamma bounds the multipliers

/// What the game knows about one regression.
struct Candidate {
  std::vector<double> theta;
  double error;
  std::vector<double> gaps;
};

/// Weights of the candidates that no mixture with differences that small beats. Rates of any two
/// groups differ by at most 2 gamma where some centre lies within gamma of all of them.
Result<std::vector<double>> best_weights(const std::vector<Candidate>& candidates,
                                         const RateGaps& gaps, double gamma, double bound) {
  // Variables: a weight a candidate, a centre a condition, the slack.
  const std::size_t models = candidates.size();
  const std::size_t size = models + gaps.conditions() + 1;
  LinearProgram program{std::vector<double>(size),
                        std::vector<double>(size),
                        std::vector<double>(size, kInfinity),
                        {}};
  LinearProgram::Row sum{std::vector<double>(size), 1, 1};
  for (std::size_t t = 0; t < models; ++t) {
    sum.coefficients[t] = 1;
    program.cost[t] = candidates[t].error;
  }
  program.rows.push_back(std::move(sum));
  for (std::size_t c = 0; c < gaps.conditions(); ++c) program.low[models + c] = -kInfinity;
  program.cost.back() = bound;
  for (std::size_t j = 0; j < gaps.size(); ++j) {
    if (!gaps.has_rows(j)) continue;
    LinearProgram::Row upper{std::vector<double>(size), -kInfinity, gamma};
    for (std::size_t t = 0; t < models; ++t) upper.coefficients[t] = candidates[t].gaps[j];
    upper.coefficients[models + gaps.condition(j)] = -1;
    LinearProgram::Row lower{upper.coefficients, -gamma, kInfinity};
    upper.coefficients.back() = -1;
    lower.coefficients.back() = 1;
    program.rows.push_back(std::move(upper));
    program.rows.push_back(std::move(lower));
  }
  DPFERMI_ASSIGN(std::vector<double> solution, solve(program));
  solution.resize(models);
  return solution;
}

Mixture mixture_of(const std::vector<Candidate>& candidates, std::span<const double> weights) {
  constexpr double kLeastWeight = 1e-9;
  Mixture mixture;
  double sum = 0;
  for (std::size_t t = 0; t < candidates.size(); ++t) {
    if (weights[t] < kLeastWeight) continue;
    mixture.weights.push_back(weights[t]);
    sum += weights[t];
    mixture.theta.insert(mixture.theta.end(), candidates[t].theta.begin(),
                         candidates[t].theta.end());
  }
  for (double& weight : mixture.weights) weight /= sum;
  return mixture;
}

}  // namespace

RateGaps::RateGaps(const Dataset& data, std::span<const std::uint32_t> rows,
                   std::span<const std::uint16_t> groups, FairnessNotion notion,
                   std::size_t favourable)
    : groups_(data.groups) {
  const std::size_t conditions = condition_count(notion, 2);
  cell_rows_.resize(conditions * groups_);
  condition_rows_.resize(conditions);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint8_t positive = data.y[rows[i]] == favourable ? 1 : 0;
    positive_.push_back(positive);
    const std::optional<std::size_t> condition = condition_of(notion, positive, 1);
    const std::size_t cell = condition ? *condition * groups_ + groups[i] : cell_rows_.size();
    cell_.push_back(static_cast<std::uint32_t>(cell));
    if (!condition) continue;
    cell_rows_[cell] += 1;
    condition_rows_[*condition] += 1;
  }
}

std::vector<double> RateGaps::of(std::span<const std::uint8_t> favours) const {
  std::vector<double> gaps(size());
  std::vector<double> rates(condition_rows_.size());
  for (std::size_t i = 0; i < cell_.size(); ++i) {
    if (cell_[i] == size() || favours[i] == 0) continue;
    gaps[cell_[i]] += 1 / cell_rows_[cell_[i]];
    rates[cell_[i] / groups_] += 1 / condition_rows_[cell_[i] / groups_];
  }
  for (std::size_t j = 0; j < size(); ++j) {
    gaps[j] = cell_rows_[j] > 0 ? gaps[j] - rates[j / groups_] : 0;
  }
  return gaps;
}

double RateGaps::error_of(std::span<const std::uint8_t> favours) const {
  double errors = 0;
  for (std::size_t i = 0; i < positive_.size(); ++i) errors += favours[i] != positive_[i] ? 1 : 0;
  return errors / static_cast<double>(positive_.size());
}

std::vector<double> RateGaps::costs(std::span<const double> multipliers) const {
  std::vector<double> by_condition(condition_rows_.size());
  std::vector<double> by_cell(size() + 1);
  for (std::size_t j = 0; j < size(); ++j) {
    if (cell_rows_[j] == 0) continue;
    by_cell[j] = multipliers[j] / cell_rows_[j];
    by_condition[j / groups_] += multipliers[j] / condition_rows_[j / groups_];
  }
  const auto n = static_cast<double>(positive_.size());
  std::vector<double> costs(positive_.size());
  for (std::size_t i = 0; i < costs.size(); ++i) {
    costs[i] = (positive_[i] != 0 ? -1 : 1) / n + by_cell[cell_[i]];
    if (cell_[i] < size()) costs[i] -= by_condition[cell_[i] / groups_];
  }
  return costs;
}

std::vector<double> Auditor::multipliers() const {
  // The largest exponent is taken out, lest it overflow.
  const double top = std::max(0.0, *std::ranges::max_element(z_));
  double sum = std::exp(-top);
  for (const double z : z_) sum += std::exp(z - top);
  std::vector<double> differences(z_.size() / 2);
  for (std::size_t j = 0; j < differences.size(); ++j) {
    differences[j] = bound_ * (std::exp(z_[2 * j] - top) - std::exp(z_[2 * j + 1] - top)) / sum;
  }
  return differences;
}

void Auditor::observe(std::span<const double> gaps) {
  for (std::size_t j = 0; j < gaps.size(); ++j) {
    z_[2 * j] += rate_ * (gaps[j] - tolerance_);
    z_[2 * j + 1] += rate_ * (-gaps[j] - tolerance_);
  }
}

Result<Mixture> play_game(const Dataset& data, std::span<const std::uint32_t> rows,
                          std::span<const std::uint16_t> groups, const BaselineOptions& options,
                          const GameOptions& game, const TrainingHooks& hooks) {
  const RateGaps gaps(data, rows, groups, options.notion, options.favourable);
  CostLearner learner(data, {rows.begin(), rows.end()}, options.favourable);
  const double gamma = game.tolerance / 2;
  const double bound = 1 / std::max(gamma, kLeastTolerance);
  Auditor auditor(gaps.size(), bound, game.eta / bound, gamma);
  std::vector<Candidate> candidates;
  std::vector<double> theta(learner.parameters());
  for (std::size_t t = 1; t <= game.rounds; ++t) {
    DPFERMI_TRY(learner.answer(gaps.costs(auditor.multipliers()), theta));
    const std::vector<std::uint8_t> favours = learner.favours(theta);
    candidates.push_back({theta, gaps.error_of(favours), gaps.of(favours)});
    auditor.observe(candidates.back().gaps);
    if (hooks.progress && !hooks.progress({t, game.rounds, 0, theta})) break;
  }
  DPFERMI_ASSIGN(const std::vector<double> weights, best_weights(candidates, gaps, gamma, bound));
  return mixture_of(candidates, weights);
}

}  // namespace dpfermi
