#include "optimize/dp_fermi_paper.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "dpfermi/optimize/oracles.h"
#include "optimize/group_marginals.h"
#include "optimize/paper_problem.h"
#include "optimize/training_run.h"

namespace dpfermi {
namespace {

bool reads_groups(const TrainingPlan& plan) {
  return plan.lambda > 0;
}

PaperOptions paper_options(const TrainingPlan& plan) {
  PaperOptions options;
  options.lambda = plan.lambda;
  options.batch = plan.q * plan.units;
  if (reads_groups(plan)) {
    const PaperNoiseSplit split = split_paper_noise(*plan.paper(), plan.lambda, options.batch);
    options.theta_bound = split.theta_bound;
    options.w_bound = split.w_bound;
    options.theta_weight = split.theta_weight;
    options.w_weight = split.w_weight;
    options.w_radius = plan.paper()->diameter;
  }
  return options;
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

/// What was charged before the first step, and what was read then.
struct PaperOpening {
  TrainingPlan plan;  ///< settled
  GroupMarginals marginals;
  std::vector<StatedRelease> releases;
  std::uint64_t charge = 0;  ///< of the steps
};

/// The release of what the paper takes for public: the shares, and all of a record where it is
/// protected.
std::string exact_purpose(const TrainingPlan& plan) {
  return features_are_public(plan.adjacency) ? std::string(kSharesPurpose)
                                             : "group shares and loss gradients as they are";
}

/// Line 2: P_S^{-1/2}, and what follows from it.
Status read_shares(const Dataset& data, const ExactRead& read, PaperOpening& opening) {
  TrainingPlan& plan = opening.plan;
  opening.marginals = exact_marginals(data, fairness_setting(plan), read);
  if (plan.noise_multiplier > 0) return {};
  DPFERMI_ASSIGN(plan, settle_paper(std::move(plan), opening.marginals));
  return {};
}

/// The same from a checkpoint of the run that paid for it.
Status resume_shares(const TrainingCheckpoint& checkpoint, PaperOpening& opening) {
  const std::size_t cells =
      condition_count(opening.plan.notion, opening.plan.model.classes) * opening.plan.groups;
  if (checkpoint.marginals.size() != cells || opening.plan.noise_multiplier == 0) {
    return usage_error("the checkpoint lacks the shares of groups; train again");
  }
  opening.marginals = {checkpoint.shares, checkpoint.marginals};
  opening.charge = checkpoint.ledger_plan;
  return {};
}

/// Everything is charged before it is read.
Result<PaperOpening> open_paper(const Dataset& data, TrainingPlan plan, StepLedger& ledger,
                                const NoiseSource& noise, const TrainingHooks& hooks) {
  PaperOpening opening{.plan = std::move(plan)};
  const Reproducibility kind = noise.reproducibility();
  if (reads_exactly(opening.plan)) {
    const std::string purpose = exact_purpose(opening.plan);
    if (hooks.resume == nullptr) {
      DPFERMI_ASSIGN(ExactCharge charge,
                     charge_exact(ledger, opening.plan.adjacency, purpose, kind));
      opening.releases.push_back(std::move(charge.release));
      if (reads_groups(opening.plan)) DPFERMI_TRY(read_shares(data, charge.read, opening));
    } else {
      DPFERMI_ASSIGN(const PrivacyEvent exact,
                     PrivacyEvent::create(opening.plan.adjacency, ExactRelease{}));
      opening.releases.push_back({purpose, exact, 1});
      if (reads_groups(opening.plan)) DPFERMI_TRY(resume_shares(*hooks.resume, opening));
    }
  }
  if (!reads_groups(opening.plan)) return opening;
  DPFERMI_ASSIGN(JointPlan steps, paper_steps(opening.plan));
  steps.cost = {opening.plan.certified_epsilon, opening.plan.delta};
  steps.fixed_seed = kind == Reproducibility::kReproducible;
  if (hooks.resume == nullptr) {
    DPFERMI_ASSIGN(opening.charge, ledger.plan(steps));
  }
  for (const PlannedPart& part : steps.parts) {
    opening.releases.push_back({part.purpose, part.event, part.steps + part.spare});
  }
  return opening;
}

Status solve_with_noise(PaperProblem& problem, const PaperOpening& opening, StepPermits& permits,
                        NoiseSource& noise, const TrainingHooks& hooks, SolverState& state,
                        Workers& workers) {
  const TrainingPlan& plan = opening.plan;
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
                         {.plan = plan,
                          .state = now,
                          .lambda = plan.lambda,
                          .shares = opening.marginals.shares,
                          .marginals = opening.marginals.groups,
                          .ledger_plan = opening.charge},
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

PrivacyStatement make_statement(const PaperOpening& opening, Reproducibility noise) {
  const TrainingPlan& plan = opening.plan;
  PrivacyStatement statement =
      statement_of(plan.adjacency, {.cost = {plan.certified_epsilon, plan.delta},
                                    .fixed_seed = noise == Reproducibility::kReproducible});
  statement.releases = opening.releases;
  statement.claimed_epsilon = plan.paper()->claimed_epsilon;
  if (std::isinf(plan.certified_epsilon)) statement.cost.reset();
  if (features_are_public(plan.adjacency) && reads_groups(plan)) {
    statement.cost_given_shares = {plan.paper()->given_shares, plan.delta};
    statement.assumptions.emplace_back(
        "the share of every group (within each label for equalized odds) and the least of them, "
        "rho: the paper computes both exactly, and noise, clipping norms and what is certified "
        "follow from them");
  }
  if (plan.ideal_noise) statement.assumptions.emplace_back(kIdealNoise);
  return statement;
}

}  // namespace

Result<TrainingResult> dp_fermi_paper(const Dataset& data, const TrainingPlan& given,
                                      StepLedger& ledger, NoiseSource noise,
                                      const TrainingHooks& hooks) {
  TrainingPlan drawn = given;
  DPFERMI_TRY(draw_iterate(drawn, noise));
  DPFERMI_ASSIGN(const PaperOpening opening,
                 open_paper(data, std::move(drawn), ledger, noise, hooks));
  const TrainingPlan& plan = opening.plan;
  FairnessSetting setting = fairness_setting(plan);
  if (!reads_groups(plan)) setting.notion = FairnessNotion::kNone;
  PaperProblem problem(data, Network(plan.model), setting, opening.marginals, paper_options(plan),
                       hooks.threads);
  DPFERMI_ASSIGN(SolverState state,
                 starting_state(plan, std::vector<double>(problem.w_size()), noise, hooks));

  // Lines 3 to 7, from theta_0 and W_0 = 0.
  Workers workers(hooks.threads);
  const Stopwatch watch;
  if (reads_groups(plan)) {
    StepPermits permits(ledger, opening.charge, 0, plan.steps, hooks.checkpoint_every);
    DPFERMI_TRY(solve_with_noise(problem, opening, permits, noise, hooks, state, workers));
  } else {
    DPFERMI_TRY(solve_without_groups(problem, plan, noise, hooks, state, workers));
  }

  DPFERMI_ASSIGN(TrainingResult result,
                 finish(state, solver_options(plan), plan.lambda, watch.seconds(),
                        make_statement(opening, noise.reproducibility())));
  result.settled = plan;
  return result;
}

}  // namespace dpfermi
