#include "baselines/dp_sgd.h"

#include <algorithm>

#include "baselines/claims.h"
#include "baselines/functional_problem.h"
#include "baselines/noisy_steps.h"
#include "optimize/training_run.h"

namespace dpfermi {
namespace {

Result<BaselineResult> train_dp_sgd(const Dataset& data, const BaselineOptions& options,
                                    StepLedger& ledger, NoiseSource noise,
                                    const TrainingHooks& hooks) {
  return dp_sgd(data, DpSgdOptions{options}, ledger, std::move(noise), hooks);
}

}  // namespace

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
    .train = train_dp_sgd,
};

Result<BaselineResult> dp_sgd(const Dataset& data, const DpSgdOptions& options, StepLedger& ledger,
                              NoiseSource noise, const TrainingHooks& hooks) {
  if (options.steps == 0) return usage_error("dp-sgd needs at least one step");
  DPFERMI_ASSIGN(TrainingPlan plan, starting_plan(data, options));
  plan.steps = options.steps;
  FunctionalProblem problem(
      data, Network(plan.model),
      {.adjacency = plan.adjacency, .setting = fairness_setting(plan), .clip_norm = plan.clip_norm},
      hooks.threads);
  const PartsOfNoise parts = [&](double z) -> Result<std::vector<PlannedPart>> {
    DPFERMI_ASSIGN(PlannedPart steps, step_part(plan, z));
    return std::vector{std::move(steps)};
  };
  DPFERMI_ASSIGN(
      CalibratedRun run,
      charge_calibrated(parts, options, plan.delta,
                        noise_precision(plan.steps, problem.theta_size()), noise, ledger));
  DPFERMI_ASSIGN(ReleasePermit permit, ledger.claim(run.charge.plan, 0, 0, plan.steps));
  DPFERMI_ASSIGN(PrivateOracle oracle, step_oracle(plan, data, problem.segments(),
                                                   run.noise_multiplier, std::move(permit), noise));
  DPFERMI_ASSIGN(SolverState state, starting_state(plan, {}, noise, hooks));
  const double rate = std::min(plan.theta_rate, longest_step(plan, run.noise_multiplier, 1));
  const SolverOptions solver = averaging_solver(plan, [rate](std::uint64_t) { return rate; });
  const StepWatcher observer = [&](const SolverState& now) {
    return tell_progress(hooks, plan, now, 0);
  };
  Workers workers(hooks.threads);
  const Stopwatch watch;
  DPFERMI_TRY(solve(problem, oracle, {}, solver, state, observer, &workers));
  state_assumptions(options, run.charge.statement);
  DPFERMI_ASSIGN(run.charge.statement.claimed_epsilon,
                 renyi_claim({{plan.q, run.noise_multiplier, plan.steps}}, plan.delta));
  return finish_baseline(plan, state, solver, std::move(run.charge.statement), watch.seconds());
}

}  // namespace dpfermi
