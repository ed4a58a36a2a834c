#include "baselines/reductions.h"

#include <numeric>

#include "baselines/fair_game.h"
#include "core/stopwatch.h"

namespace dpfermi {
namespace {

Result<BaselineResult> train_reductions(const Dataset& data, const BaselineOptions& options,
                                        StepLedger& /*ledger*/, NoiseSource /*noise*/,
                                        const TrainingHooks& hooks) {
  const Stopwatch watch;
  std::vector<std::uint32_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), 0U);
  const GameOptions game{.tolerance = options.tolerance};
  DPFERMI_ASSIGN(Mixture mixture,
                 play_game(data, rows, ExactForHolder::read(data.s), options, game, hooks));
  BaselineResult result;
  result.model = {data.x.columns(), data.classes, {}};
  result.rule.weights = std::move(mixture.weights);
  result.training.theta = std::move(mixture.theta);
  result.training.steps = game.rounds;
  result.training.seconds = watch.seconds();
  return result;
}

}  // namespace

extern const MethodDescriptor methods::reductions = {
    .name = "reductions",
    .origin = "Agarwal et al. 2018",
    .summary =
        "fair, not private: a mixture of regressions from a game of learner and "
        "auditor",
    .notions = {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds,
                FairnessNotion::kEqualOpportunity},
    .knob = Knob::kTolerance,
    .knob_meaning = "gamma: largest difference of a group from everybody",
    .parity_values = {0.005, 0.01, 0.03, 0.06, 0.1},
    .odds_values = {0.005, 0.02, 0.05, 0.1},
    .randomised = true,
    .train = train_reductions,
};

}  // namespace dpfermi
