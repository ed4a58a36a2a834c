#include "baselines/fairness_lens.h"

#include <algorithm>
#include <cmath>

#include "baselines/claims.h"
#include "baselines/lens_problem.h"
#include "baselines/noisy_steps.h"
#include "optimize/training_run.h"

namespace dpfermi {
namespace {

Result<BaselineResult> train_lens(const Dataset& data, const BaselineOptions& options,
                                  StepLedger& ledger, NoiseSource noise,
                                  const TrainingHooks& hooks) {
  return fairness_lens(data, FairnessLensOptions{options}, ledger, std::move(noise), hooks);
}

}  // namespace

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
    .train = train_lens,
};

Result<BaselineResult> fairness_lens(const Dataset& data, const FairnessLensOptions& options,
                                     StepLedger& ledger, NoiseSource noise,
                                     const TrainingHooks& hooks) {
  if (options.steps == 0 || !(options.sizes_weight > 0 && options.sizes_weight < 1)) {
    return usage_error("fairness-lens needs at least one step and a share in (0, 1)");
  }
  DPFERMI_ASSIGN(TrainingPlan plan, starting_plan(data, options));
  plan.steps = options.steps;
  plan.lambda = options.lambda;
  LensProblem problem(data, plan, options.sizes_weight);
  const PartsOfNoise parts = [&](double z) -> Result<std::vector<PlannedPart>> {
    DPFERMI_ASSIGN(PlannedPart steps, step_part(plan, z));
    return std::vector{std::move(steps)};
  };
  DPFERMI_ASSIGN(CalibratedRun run,
                 charge_calibrated(parts, options, plan.delta,
                                   noise_precision(plan.steps, problem.entries()), noise, ledger));
  DPFERMI_ASSIGN(ReleasePermit permit, ledger.claim(run.charge.plan, 0, 0, plan.steps));
  DPFERMI_ASSIGN(PrivateOracle oracle, step_oracle(plan, data, problem.segments(),
                                                   run.noise_multiplier, std::move(permit), noise));
  DPFERMI_ASSIGN(SolverState state, starting_state(plan, {}, noise, hooks));
  const double rate =
      std::min(plan.theta_rate, longest_step(plan, run.noise_multiplier, problem.noise_scale()));
  const SolverOptions solver = averaging_solver(plan, [rate](std::uint64_t) { return rate; });
  const StepWatcher observer = [&](const SolverState& now) {
    return tell_progress(hooks, plan, now, plan.lambda);
  };
  const Stopwatch watch;
  DPFERMI_TRY(solve(problem, oracle, {}, solver, state, observer));
  state_assumptions(options, run.charge.statement);
  DPFERMI_ASSIGN(run.charge.statement.claimed_epsilon,
                 renyi_claim({{plan.q, run.noise_multiplier, plan.steps}}, plan.delta));
  return finish_baseline(plan, state, solver, std::move(run.charge.statement), watch.seconds());
}

}  // namespace dpfermi
