#include "baselines/raco_dp.h"

#include <algorithm>
#include <cmath>

#include "baselines/claims.h"
#include "baselines/functional_problem.h"
#include "baselines/noisy_steps.h"
#include "baselines/rate_constraints.h"
#include "optimize/training_run.h"
#include "privacy/accountant/gdp_accountant.h"
#include "privacy/mechanism/counts_privatizer.h"

namespace dpfermi {
namespace {

constexpr std::size_t kCounts = 0;  // parts of the charge
constexpr std::size_t kRacoSteps = 1;

/// gamma, such that groups whose rates exceed those of all others by at most gamma differ by at
/// most `tolerance`: with two groups and classes it is the same. Otherwise a rate is at most gamma
/// above everybody's and, since the others of l classes are, at most (l - 1) gamma below.
double largest_gap(const FairnessSetting& setting, double tolerance) {
  const bool two = setting.groups == 2 && setting.classes == 2;
  return two ? tolerance : tolerance / static_cast<double>(setting.classes);
}

Result<TrainingPlan> plan_of(const Dataset& data, const RacoOptions& options) {
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  const auto share = [](double value) { return value > 0 && value < 1; };
  if (options.steps == 0 || options.batch == 0 || !positive(options.dual_rate) ||
      !positive(options.tau) || !share(options.histogram_weight) || !share(options.counts_share)) {
    return usage_error("raco-dp needs positive steps, batch, rates and tau, and shares in (0, 1)");
  }
  DPFERMI_ASSIGN(TrainingPlan plan, starting_plan(data, options));
  plan_small_steps(options.steps, options.batch, plan);
  plan.tau = options.tau;
  const double mu = std::sqrt(options.counts_share) * gdp_mu_for(options.epsilon, plan.delta);
  plan.counts_sigma = std::sqrt(2.0) / mu;
  return plan;
}

}  // namespace

extern const MethodDescriptor methods::raco_dp = {
    .name = "raco-dp",
    .origin = "RaCO-DP, ICLR 2026",
    .summary = "private and fair: rate constraints on noisy histograms, noisy gradients",
    .multi_class = true,
    .notions = {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds,
                FairnessNotion::kEqualOpportunity},
    .adjacencies = {Adjacency::kReplaceRecord},
    .knob = Knob::kTolerance,
    .knob_meaning = "largest difference between two groups",
    .parity_values = {0.03, 0.06, 0.1, 0.15, 0.2},
    .odds_values = {0.01, 0.05, 0.1, 0.2, 0.3, 0.5},
    .minibatch = true,
    .takes_hidden = true,
    .claim = "records come or go; group sizes are not paid for",
    .train = with_defaults<RacoOptions, dpfermi::raco_dp>,
};

Result<TrainingResult> raco_dp(const Dataset& data, const RacoOptions& options, StepLedger& ledger,
                               NoiseSource noise, const TrainingHooks& hooks) {
  DPFERMI_ASSIGN(const TrainingPlan plan, plan_of(data, options));
  const FairnessSetting setting = fairness_setting(plan);
  FunctionalProblem problem(data, Network(plan.model),
                            {.adjacency = plan.adjacency,
                             .setting = setting,
                             .tau = plan.tau,
                             .clip_norm = plan.clip_norm,
                             .histogram_weight = options.histogram_weight},
                            hooks.threads);
  DPFERMI_ASSIGN(const PrivacyEvent counts, counts_event(plan.adjacency, plan.counts_sigma));
  const PartsOfNoise parts = [&](double z) -> Result<std::vector<PlannedPart>> {
    DPFERMI_ASSIGN(PlannedPart steps, step_part(plan, z));
    return std::vector<PlannedPart>{{"group sizes", counts, 1, 0}, std::move(steps)};
  };
  const std::size_t entries = problem.theta_size() + problem.histogram_size();
  DPFERMI_ASSIGN(CalibratedRun run,
                 charge_calibrated(parts, options, plan.delta, noise_precision(plan.steps, entries),
                                   noise, ledger));

  DPFERMI_ASSIGN(ReleasePermit counts_permit, ledger.claim(run.charge.plan, kCounts, 0, 1));
  DPFERMI_ASSIGN(std::vector<double> sizes,
                 release_group_sizes(data, plan, std::move(counts_permit), noise));
  RateConstraints constraints(setting, std::move(sizes));
  DPFERMI_ASSIGN(ReleasePermit permit, ledger.claim(run.charge.plan, kRacoSteps, 0, plan.steps));
  DPFERMI_ASSIGN(PrivateOracle oracle, step_oracle(plan, data, problem.segments(),
                                                   run.noise_multiplier, std::move(permit), noise));
  DPFERMI_ASSIGN(SolverState state, starting_state(plan, {}, noise, hooks));
  const double share = std::sqrt(1 - options.histogram_weight * options.histogram_weight);
  const double rate =
      std::min(plan.theta_rate, longest_step(plan, run.noise_multiplier, 1 / share));
  const SolverOptions solver = averaging_solver(plan, [rate](std::uint64_t) { return rate; });
  const double gamma = largest_gap(setting, options.tolerance);
  const StepWatcher observer = [&](const SolverState& now) {
    constraints.update(problem.histogram(), options.dual_rate, gamma);
    problem.set_functionals(constraints.functionals());
    return tell_progress(hooks, plan, now, 0);
  };
  Workers workers(hooks.threads);
  const Stopwatch watch;
  DPFERMI_TRY(solve(problem, oracle, {}, solver, state, observer, &workers));
  state_assumptions(options, run.charge.statement);
  DPFERMI_ASSIGN(run.charge.statement.claimed_epsilon,
                 pld_claim({{plan.q, run.noise_multiplier, plan.steps}}, plan.delta));
  return finish_baseline(plan, state, solver, std::move(run.charge.statement), watch.seconds());
}

}  // namespace dpfermi
