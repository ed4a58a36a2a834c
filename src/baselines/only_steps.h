#pragma once

/// A run of noisy steps that releases nothing else.

#include <algorithm>
#include <utility>
#include <vector>

#include "baselines/claims.h"
#include "baselines/noisy_steps.h"
#include "core/stopwatch.h"
#include "optimize/training_run.h"

namespace dpfermi {

/// Charges the steps of a plan and takes them. `entries`: of the sum of a step; `noise_scale`: as
/// in longest_step.
template <class Problem>
Result<TrainingResult> take_only_steps(const Dataset& data, const BaselineOptions& options,
                                       const TrainingPlan& plan, Problem& problem,
                                       std::size_t entries, double noise_scale, StepLedger& ledger,
                                       NoiseSource noise, const TrainingHooks& hooks) {
  const PartsOfNoise parts = [&](double z) -> Result<std::vector<PlannedPart>> {
    DPFERMI_ASSIGN(PlannedPart steps, step_part(plan, z));
    return std::vector{std::move(steps)};
  };
  DPFERMI_ASSIGN(CalibratedRun run,
                 charge_calibrated(parts, options, plan.delta, noise_precision(plan.steps, entries),
                                   noise, ledger));
  DPFERMI_ASSIGN(ReleasePermit permit, ledger.claim(run.charge.plan, 0, 0, plan.steps));
  DPFERMI_ASSIGN(PrivateOracle oracle, step_oracle(plan, data, problem.segments(),
                                                   run.noise_multiplier, std::move(permit), noise));
  DPFERMI_ASSIGN(SolverState state, starting_state(plan, {}, noise, hooks));
  const double rate =
      std::min(plan.theta_rate, longest_step(plan, run.noise_multiplier, noise_scale));
  const SolverOptions solver = averaging_solver(plan, [rate](std::uint64_t) { return rate; });
  const StepWatcher observer = [&](const SolverState& now) {
    return tell_progress(hooks, plan, now, plan.lambda);
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
