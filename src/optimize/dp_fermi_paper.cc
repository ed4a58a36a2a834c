#include "optimize/dp_fermi_paper.h"

#include <algorithm>
#include <memory>

#include "dpfermi/optimize/oracles.h"
#include "optimize/group_marginals.h"
#include "optimize/paper_problem.h"
#include "optimize/training_run.h"

namespace dpfermi {
namespace {

PaperOptions paper_options(const TrainingPlan& plan) {
  PaperOptions options;
  options.lambda = plan.lambda;
  options.batch = plan.q * plan.units;
  if (plan.noise_multiplier > 0) {
    const PaperNoiseSplit split = split_paper_noise(*plan.paper, plan.lambda, options.batch);
    options.theta_bound = split.theta_bound;
    options.w_bound = split.w_bound;
    options.theta_weight = split.theta_weight;
    options.w_weight = split.w_weight;
    options.w_radius = plan.paper->diameter;
  }
  return options;
}

bool reads_groups(const TrainingPlan& plan) {
  return plan.noise_multiplier > 0;
}

Result<PoissonSampler> make_sampler(const TrainingPlan& plan, NoiseSource& noise) {
  DPFERMI_ASSIGN(const SamplingRate rate, SamplingRate::nearest(plan.q));
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kSecretBatch));
  return PoissonSampler::create(plan.units, rate, std::move(lane));
}

Result<Privatizer> make_privatizer(const TrainingPlan& plan, const PaperProblem& problem,
                                   ReleasePermit permit, NoiseSource& noise) {
  const int bits = ContributionLayout::finest_lattice(plan.noise_multiplier);
  DPFERMI_ASSIGN(ContributionLayout layout, ContributionLayout::create(problem.segments(), bits));
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kGradientNoise));
  return Privatizer::create(std::move(layout), plan.adjacency, plan.noise_multiplier,
                            std::move(permit), std::move(lane));
}

Status solve_with_noise(PaperProblem& problem, const TrainingPlan& plan, std::uint64_t charge,
                        StepPermits& permits, NoiseSource& noise, const TrainingHooks& hooks,
                        SolverState& state, Workers& workers) {
  DPFERMI_ASSIGN(ReleasePermit permit, permits.from(state.step));
  DPFERMI_ASSIGN(PoissonSampler sampler, make_sampler(plan, noise));
  DPFERMI_ASSIGN(Privatizer privatizer, make_privatizer(plan, problem, std::move(permit), noise));
  RevealedOracle oracle(std::move(sampler), std::move(privatizer));
  if (noise.reproducibility() == Reproducibility::kReproducible) oracle.skip(state.step);
  Status trouble;
  const StepWatcher observer = [&](const SolverState& now) {
    if (!tell_progress(hooks, plan, now, plan.lambda)) return false;
    if (oracle.privatizer().remaining() > 0 || now.step == plan.steps) return true;
    trouble = next_block(hooks,
                         {.plan = plan, .state = now, .lambda = plan.lambda, .ledger_plan = charge},
                         permits, oracle.privatizer());
    return trouble.has_value();
  };
  DPFERMI_TRY(solve(problem, oracle, {}, solver_options(plan), state, observer, &workers));
  return trouble;
}

/// Lambda = 0: the group is in no term, and V_t moves a W that theta never sees.
Status solve_without_groups(PaperProblem& problem, const TrainingPlan& plan, NoiseSource& noise,
                            const TrainingHooks& hooks, SolverState& state, Workers& workers) {
  DPFERMI_ASSIGN(PoissonSampler drawn, make_sampler(plan, noise));
  drawn.skip(state.step);
  auto sampler = std::make_shared<PoissonSampler>(std::move(drawn));
  const PublicBatches batches = [sampler]() -> Result<std::vector<std::uint32_t>> {
    DPFERMI_ASSIGN(RevealedBatch batch, sampler->next_revealed());
    return std::move(batch.members);
  };
  const StepWatcher observer = [&](const SolverState& now) {
    return tell_progress(hooks, plan, now, plan.lambda);
  };
  NoOracle oracle;
  return solve(problem, oracle, batches, solver_options(plan), state, observer, &workers);
}

PrivacyStatement make_statement(const TrainingPlan& plan, const JointPlan& releases) {
  PrivacyStatement statement = statement_of(plan.adjacency, releases);
  statement.claimed_epsilon = plan.paper->claimed_epsilon;
  if (!features_are_public(plan.adjacency)) statement.cost.reset();
  if (features_are_public(plan.adjacency) && plan.noise_multiplier > 0) {
    statement.assumptions.emplace_back(
        "the share of every group (within each label for equalized odds) and the least of them, "
        "rho: the paper computes both exactly and takes them for constants");
  }
  if (plan.ideal_noise) statement.assumptions.emplace_back(kIdealNoise);
  return statement;
}

}  // namespace

Result<TrainingResult> dp_fermi_paper(const Dataset& data, const TrainingPlan& given,
                                      StepLedger& ledger, NoiseSource noise,
                                      const TrainingHooks& hooks) {
  TrainingPlan plan = given;
  DPFERMI_TRY(draw_iterate(plan, noise));
  FairnessSetting setting = fairness_setting(plan);
  if (!reads_groups(plan)) setting.notion = FairnessNotion::kNone;

  // Everything that will be released is charged before it is read.
  DPFERMI_ASSIGN(JointPlan releases, paper_releases(plan));
  releases.cost = {plan.certified_epsilon, plan.delta};
  releases.fixed_seed = noise.reproducibility() == Reproducibility::kReproducible;
  std::uint64_t charge = 0;
  if (hooks.resume != nullptr) {
    charge = hooks.resume->ledger_plan;
  } else if (!releases.parts.empty()) {
    DPFERMI_ASSIGN(charge, ledger.plan(releases));
    if (!features_are_public(plan.adjacency)) DPFERMI_TRY(ledger.claim(charge, 0, 0, 1));
  }

  // Line 2: P_S^{-1/2}.
  GroupMarginals marginals;
  if (reads_groups(plan)) marginals = exact_marginals(data, setting);
  PaperProblem problem(data, Network(plan.model), setting, marginals, paper_options(plan),
                       hooks.threads);
  DPFERMI_ASSIGN(SolverState state,
                 starting_state(plan, std::vector<double>(problem.w_size()), noise, hooks));

  // Lines 3 to 7, from theta_0 and W_0 = 0.
  Workers workers(hooks.threads);
  const Stopwatch watch;
  if (reads_groups(plan)) {
    StepPermits permits(ledger, charge, releases.parts.size() - 1, plan.steps,
                        hooks.checkpoint_every);
    DPFERMI_TRY(solve_with_noise(problem, plan, charge, permits, noise, hooks, state, workers));
  } else {
    DPFERMI_TRY(solve_without_groups(problem, plan, noise, hooks, state, workers));
  }

  return finish(state, solver_options(plan), plan.lambda, watch.seconds(),
                make_statement(plan, releases));
}

}  // namespace dpfermi
