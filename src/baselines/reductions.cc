#include "baselines/reductions.h"

#include <numeric>

#include "baselines/fair_game.h"
#include "core/stopwatch.h"

namespace dpfermi {
namespace {

Result<TrainingResult> train_reductions(const Dataset& data, const BaselineOptions& options,
                                        const ExactRead& read, NoiseSource /*noise*/,
                                        const TrainingHooks& hooks) {
  const Stopwatch watch;
  std::vector<std::uint32_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), 0U);
  const GameOptions game{.tolerance = options.tolerance};
  DPFERMI_ASSIGN(Mixture mixture, play_game(data, rows, read.of(data.s), options, game, hooks));
  TrainingResult result;
  result.model = {data.x.columns(), data.classes, {}};
  result.rule.weights = std::move(mixture.weights);
  result.theta = std::move(mixture.theta);
  result.steps = game.rounds;
  result.seconds = watch.seconds();
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
    .knob_meaning = "largest difference between two groups",
    .parity_values = {0.01, 0.02, 0.06, 0.12, 0.2},
    .odds_values = {0.01, 0.04, 0.1, 0.2},
    .randomised = true,
    .train_exactly = train_reductions,
};

}  // namespace dpfermi
