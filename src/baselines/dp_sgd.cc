#include "baselines/dp_sgd.h"

#include "baselines/functional_problem.h"
#include "baselines/only_steps.h"

namespace dpfermi {

extern const MethodDescriptor methods::dp_sgd = {
    .name = "dp-sgd",
    .origin = "Abadi et al. 2016",
    .summary = "private, not fair: clipped and noised gradients",
    .multi_class = true,
    .notions = {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds,
                FairnessNotion::kEqualOpportunity},
    .adjacencies = {Adjacency::kReplaceRecord},
    .minibatch = true,
    .takes_hidden = true,
    .claim = "records come or go; Renyi divergences",
    .train = with_defaults<DpSgdOptions, dpfermi::dp_sgd>,
};

Result<TrainingResult> dp_sgd(const Dataset& data, const DpSgdOptions& options, StepLedger& ledger,
                              NoiseSource noise, const TrainingHooks& hooks) {
  if (options.steps == 0) return usage_error("dp-sgd needs at least one step");
  DPFERMI_ASSIGN(TrainingPlan plan, starting_plan(data, options));
  plan.steps = options.steps;
  FunctionalProblem problem(
      data, Network(plan.model),
      {.adjacency = plan.adjacency, .setting = fairness_setting(plan), .clip_norm = plan.clip_norm},
      hooks.threads);
  return take_only_steps(data, options, plan, problem, problem.theta_size(), 1, ledger,
                         std::move(noise), hooks);
}

}  // namespace dpfermi
