#include "baselines/mozannar.h"

#include "baselines/fair_game.h"
#include "baselines/group_rule.h"
#include "baselines/private_run.h"
#include "core/stopwatch.h"
#include "privacy/mechanism/response_randomizer.h"

namespace dpfermi {
namespace {

constexpr GameOptions kGame{.tolerance = 0.002, .eta = 0.5};
constexpr double kTolerance = 1e-4;  // of the second step

/// The decisions of the mixture on `rows`, by recovered group and label.
DecisionTable recovered_table(const Dataset& data, const BaselineOptions& options,
                              const TrainingResult& mixture, std::span<const std::uint16_t> answers,
                              double keep) {
  const std::size_t k = data.groups;
  const std::vector<float> decided = decision_probabilities(
      mixture.rule, mixture.model, mixture.theta, options.favourable, data.x, {});
  DecisionTable by_answer(k);
  for (std::size_t i = 1; i < data.rows(); i += 2) {
    const std::size_t y = data.y[i] == options.favourable ? 1 : 0;
    const auto yes = static_cast<double>(decided[2 * i + options.favourable]);
    by_answer.at(1, answers[i], y) += yes;
    by_answer.at(0, answers[i], y) += 1 - yes;
  }
  DecisionTable table(k);
  std::vector<double> own(k);
  for (const std::size_t b : {0, 1}) {
    for (const std::size_t y : {0, 1}) {
      for (std::size_t r = 0; r < k; ++r) own[r] = by_answer.at(b, r, y);
      const std::vector<double> recovered = true_counts(own, keep);
      for (std::size_t r = 0; r < k; ++r) table.at(b, r, y) = recovered[r];
    }
  }
  table.correct();
  return table;
}

Result<TrainingResult> train_mozannar(const Dataset& data, const BaselineOptions& options,
                                      StepLedger& ledger, NoiseSource noise,
                                      const TrainingHooks& hooks) {
  const Stopwatch watch;
  DPFERMI_TRY(refuse_persons(data, "mozannar"));
  DPFERMI_ASSIGN(PureRun run, charge_pure("randomised answers", options, noise, ledger));
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kResponses));
  DPFERMI_ASSIGN(const std::vector<std::uint16_t> answers,
                 ResponseRandomizer::release(data.s, data.groups, options.adjacency, run.epsilon,
                                             std::move(run.permit), std::move(lane)));

  // From here on everything is made from the answers.
  std::vector<std::uint32_t> rows;
  std::vector<std::uint16_t> groups;
  for (std::uint32_t i = 0; i < data.rows(); i += 2) {
    rows.push_back(i);
    groups.push_back(answers[i]);
  }
  DPFERMI_ASSIGN(Mixture mixture, play_game(data, rows, groups, options, kGame, hooks));
  TrainingResult result;
  result.model = {data.x.columns(), data.classes, {}};
  result.rule.weights = std::move(mixture.weights);
  for (const double value : mixture.theta) {
    result.theta.push_back(static_cast<float>(value));
  }
  const DecisionTable table =
      recovered_table(data, options, result, answers, keep_probability(data.groups, run.epsilon));
  DPFERMI_ASSIGN(result.rule.group_table,
                 fair_group_table(table, tolerances(options.notion, kTolerance)));
  result.steps = kGame.rounds;
  result.statement = std::move(run.statement);
  result.seconds = watch.seconds();
  return result;
}

}  // namespace

std::vector<double> true_counts(std::span<const double> answers, double keep) {
  const double other = (1 - keep) / static_cast<double>(answers.size() - 1);
  double sum = 0;
  for (const double count : answers) sum += count;
  std::vector<double> counts;
  for (const double count : answers) counts.push_back((count - other * sum) / (keep - other));
  return counts;
}

extern const MethodDescriptor methods::mozannar = {
    .name = "mozannar",
    .origin = "Mozannar, Ohannessian and Srebro 2020",
    .summary =
        "fair and locally private: learns from randomised answers about the group; "
        "needs s to decide",
    .notions = {FairnessNotion::kEqualizedOdds},
    .adjacencies = {Adjacency::kSensitive},
    .randomised = true,
    .needs_group = true,
    .claim = "equal",
    .train = train_mozannar,
};

}  // namespace dpfermi
