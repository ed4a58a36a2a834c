#include "baselines/fairness_lens.h"

#include "baselines/lens_problem.h"
#include "baselines/only_steps.h"

namespace dpfermi {

extern const MethodDescriptor methods::fairness_lens = {
    .name = "fairness-lens",
    .origin = "Tran, Dinh and Fioretto 2021",
    .summary = "private, aims at equal accuracy: DP-SGD with penalties on what hurts groups",
    .multi_class = true,
    .notions = {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds,
                FairnessNotion::kEqualOpportunity},
    .adjacencies = {Adjacency::kReplaceRecord},
    .knob = Knob::kWeight,
    .knob_meaning = "weight of both penalties on unequal accuracy",
    .parity_values = {0, 0.1, 0.5, 2, 8},
    .odds_values = {0, 0.1, 0.5, 2, 8},
    .minibatch = true,
    .claim = "records come or go; Renyi divergences",
    .train = with_defaults<FairnessLensOptions, dpfermi::fairness_lens>,
};

Result<TrainingResult> fairness_lens(const Dataset& data, const FairnessLensOptions& options,
                                     StepLedger& ledger, NoiseSource noise,
                                     const TrainingHooks& hooks) {
  if (options.steps == 0 || !(options.sizes_weight > 0 && options.sizes_weight < 1)) {
    return usage_error("fairness-lens needs at least one step and a share in (0, 1)");
  }
  DPFERMI_ASSIGN(TrainingPlan plan, starting_plan(data, options));
  plan.steps = options.steps;
  plan.lambda = options.lambda;
  LensProblem problem(data, plan, options.sizes_weight);
  return take_only_steps(data, options, plan, problem, problem.entries(), problem.noise_scale(),
                         ledger, std::move(noise), hooks);
}

}  // namespace dpfermi
