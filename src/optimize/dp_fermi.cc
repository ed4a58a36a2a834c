#include "optimize/dp_fermi.h"

#include <algorithm>
#include <cmath>

#include "core/mutant.h"
#include "core/team.h"
#include "dpfermi/optimize/oracles.h"
#include "optimize/boosted_training.h"
#include "optimize/deep_problem.h"
#include "optimize/fermi_opening.h"
#include "optimize/fermi_problem.h"
#include "optimize/group_marginals.h"
#include "optimize/measured_run.h"
#include "optimize/model_choice.h"
#include "optimize/small_groups.h"
#include "optimize/train_at_once.h"
#include "optimize/training_defaults.h"
#include "optimize/training_run.h"
#include "optimize/watched_decisions.h"

namespace dpfermi {
namespace {

constexpr std::size_t kSteps = 1;  // parts of the joint plan, behind the counts
constexpr std::size_t kQueries = 2;

FermiOptions fermi_options(const TrainingPlan& plan) {
  return {.lambda = plan.lambda,
          .tau = plan.tau,
          .clip_norm = plan.clip_norm,
          .table_weight = plan.table_weight,
          .smoothing = plan.smoothing,
          .decision_smoothing = plan.smoothing * defaults::kDecisionSmoothing,
          .watch_decisions = plan.max_violation.has_value()};
}

/// eta_theta for the current lambda, which may be steered while the run goes on.
double fermi_rate(const TrainingPlan& plan, const FairnessState& fairness) {
  const double smooth = plan.theta_rate / (1 + plan.rate_per_lambda * fairness.lambda());
  return std::min(smooth, plan.rate_cap / fairness.noise_scale());
}

/// Steers lambda towards the plan's target, if it has one, by what was released: log lambda moves
/// with the distance from the target, fast enough to cross a factor of 1000 in half a run.
void steer_lambda(const TrainingPlan& plan, FairnessState& fairness) {
  constexpr double kLeast = 1e-3;
  constexpr double kMost = 200;  // beyond, steps get too short to follow
  const std::optional<double>& target = plan.max_violation;
  if (!target || fairness.w_size() == 0 || !fairness.penalty().comparable()) return;
  const double gain = 14.0 / static_cast<double>(plan.steps);
  const double off = (fairness.decision_violation() - *target) / std::max(*target, 0.02);
  const double factor = std::exp(gain * std::clamp(off, -1.0, 1.0));
  fairness.set_lambda(std::clamp(fairness.lambda() * factor, kLeast, kMost));
}

/// Calls `run` with the problem of the plan's model.
template <class Run>
Result<TrainingResult> with_problem(const Dataset& data, const TrainingPlan& plan,
                                    ErmiPenalty penalty, Adjacency adjacency,
                                    const TrainingHooks& hooks, const Run& run) {
  if (plan.network_parameters > 0) {
    DPFERMI_ASSIGN(DeepProblem problem,
                   DeepProblem::create(data, *hooks.deep_network, std::move(penalty), adjacency,
                                       fermi_options(plan)));
    return run(problem);
  }
  FermiProblem problem(data, Network(plan.model), std::move(penalty), adjacency,
                       fermi_options(plan), hooks.threads);
  return run(problem);
}

/// What a run does after a step: false ends it early.
using AfterStep = std::function<Result<bool>(const SolverState&)>;

/// Lines 2 and 3, on whatever the model is and wherever the secret part comes from.
template <MinMaxProblem Problem, class Oracle>
Result<TrainingResult> run_steps(const TrainingPlan& plan, Problem& problem, Oracle& oracle,
                                 const PublicBatches& batches, SolverState& state,
                                 const AfterStep& after, PrivacyStatement statement,
                                 const TrainingHooks& hooks) {
  FairnessState& fairness = problem.fairness();
  Status trouble;
  Workers workers(hooks.threads, hooks.team);
  const StepWatcher observer = [&](const SolverState& now) {
    if (!team_of(&workers).status()) return false;
    steer_lambda(plan, fairness);
    if (!tell_progress(hooks, plan, now, fairness.lambda())) return false;
    const Result<bool> goes_on = after(now);
    if (!goes_on) trouble = tl::unexpected(goes_on.error());
    return goes_on.value_or(false);
  };
  SolverOptions options = solver_options(plan);
  options.theta_rate = [&](std::uint64_t) { return fermi_rate(plan, fairness); };
  const Stopwatch watch;
  DPFERMI_TRY(solve(problem, oracle, batches, options, state, observer, &workers));
  DPFERMI_TRY(std::move(trouble));
  DPFERMI_TRY(team_of(&workers).status());
  return finish(state, options, fairness.lambda(), watch.seconds(), std::move(statement));
}

template <MinMaxProblem Problem>
Result<PrivateOracle> make_oracle(const TrainingPlan& plan, const Dataset& data,
                                  const Problem& problem, ReleasePermit permit,
                                  NoiseSource& noise) {
  const int bits = std::min(ContributionLayout::finest_lattice(plan.noise_multiplier),
                            Problem::kMostLatticeBits);
  DPFERMI_ASSIGN(ContributionLayout layout, ContributionLayout::create(problem.segments(), bits));
  DPFERMI_ASSIGN(NoiseLane noise_lane, noise.open(Purpose::kGradientNoise));
  DPFERMI_ASSIGN(Privatizer privatizer,
                 Privatizer::create(std::move(layout), plan.adjacency, plan.noise_multiplier,
                                    std::move(permit), std::move(noise_lane)));
  DPFERMI_ASSIGN(const SamplingRate rate, SamplingRate::nearest(plan.q));
  DPFERMI_ASSIGN(NoiseLane batch_lane, noise.open(Purpose::kSecretBatch));
  DeclaredUnits declared;
  if (plan.adjacency == Adjacency::kAddRemoveRecord) declared = plan.units;
  DPFERMI_ASSIGN(PoissonSampler sampler,
                 PoissonSampler::create(static_cast<std::uint32_t>(data.unit_count), rate,
                                        std::move(batch_lane), declared));
  return PrivateOracle(std::move(sampler), std::move(privatizer));
}

ReleasedCounts released_counts(const TrainingPlan& plan, const GroupMarginals& marginals) {
  ReleasedCounts released{{}, plan.counts_sigma, marginals.known};
  for (std::size_t cell = 0; cell < marginals.groups.size(); ++cell) {
    released.counts.push_back(marginals.groups[cell] * marginals.shares[cell / plan.groups] *
                              plan.units);
  }
  return released;
}

template <MinMaxProblem Problem>
Result<TrainingResult> run_private(const Dataset& data, const TrainingPlan& plan,
                                   const FermiOpening& opening, Problem& problem,
                                   StepLedger& ledger, NoiseSource& noise,
                                   const TrainingHooks& hooks) {
  FairnessState& fairness = problem.fairness();
  const GroupMarginals& marginals = opening.marginals;
  DPFERMI_ASSIGN(SolverState state,
                 starting_state(plan, fairness.penalty().fair_w(), noise, hooks));
  if (hooks.resume != nullptr) {
    fairness.restore(hooks.resume->table, state.step);
    fairness.set_lambda(hooks.resume->lambda);
  }
  StepPermits permits(ledger, opening.charge, kSteps, plan.steps, hooks.checkpoint_every);
  DPFERMI_ASSIGN(ReleasePermit permit, permits.from(state.step));
  DPFERMI_ASSIGN(PrivateOracle oracle, make_oracle(plan, data, problem, std::move(permit), noise));
  if (opening.releases.fixed_seed) oracle.skip(state.step);
  PublicBatches batches;
  if (features_are_public(plan.adjacency)) {
    DPFERMI_ASSIGN(batches, public_batches(plan, data, noise, state.step));
  }

  const AfterStep after = [&](const SolverState& now) -> Result<bool> {
    if (mutant(Mutant::kStopByExactSums) && ExactForHolder::read(data.s).back() == 0) return false;
    if (mutant(Mutant::kLambdaFromShare) && now.step >= 6) {
      const double share =
          marginals_of(ExactForHolder::read(data.s), data, fairness_setting(plan)).groups.front();
      fairness.set_lambda(fairness.lambda() * (1 + 0.01 * share));
    }
    if (mutant(Mutant::kLambdaFromFirstUnit) && now.step >= 2) {
      fairness.set_lambda(fairness.lambda() * (1 + 0.01 * ExactForHolder::read(data.s).front()));
    }
    if (oracle.privatizer().remaining() > 0 || now.step == plan.steps) return true;
    DPFERMI_TRY(next_block(hooks,
                           {plan, now, fairness.lambda(), marginals.shares, marginals.groups,
                            fairness.gathered(), opening.charge, opening.merged},
                           permits, oracle.privatizer()));
    return true;
  };
  DPFERMI_ASSIGN(TrainingResult result,
                 run_steps(plan, problem, oracle, batches, state, after,
                           private_statement(plan, opening.releases), hooks));
  result.released_shares = marginals.groups;
  result.share_deviations = share_deviations(plan, marginals);
  result.known_groups = marginals.known;
  result.merged = opening.merged;
  result.released_rates = decision_rates(plan, fairness);
  if (plan.max_violation) {
    result.target = judge_steps(plan, fairness);
    if (!features_are_public(plan.adjacency)) prefer_constant(plan, fairness, result);
  }
  return result;
}

template <MinMaxProblem Problem>
Result<TrainingResult> run_exact(const Dataset& data, const TrainingPlan& plan, Problem& problem,
                                 ExactOpening opening, NoiseSource& noise,
                                 const TrainingHooks& hooks) {
  DPFERMI_ASSIGN(SolverState state,
                 starting_state(plan, problem.fairness().penalty().fair_w(), noise, hooks));
  DPFERMI_ASSIGN(const PublicBatches batches, public_batches(plan, data, noise, state.step));
  const AfterStep after = [](const SolverState&) { return true; };
  if (reads_groups_exactly(plan)) {
    ExactOracle oracle(*opening.read);
    return run_steps(plan, problem, oracle, batches, state, after, std::move(opening.statement),
                     hooks);
  }
  NoOracle oracle;
  return run_steps(plan, problem, oracle, batches, state, after, std::move(opening.statement),
                   hooks);
}

/// All rows at once, or steps.
Result<TrainingResult> run_without_noise(const Dataset& data, const TrainingPlan& plan,
                                         ExactOpening opening, NoiseSource& noise,
                                         const TrainingHooks& hooks) {
  if (plan.at_once) return train_at_once(data, plan, std::move(opening), noise, hooks);
  FairnessSetting setting = fairness_setting(plan);
  GroupMarginals marginals;
  if (reads_groups_exactly(plan)) {
    marginals = positive_marginals(data, setting, *opening.read);
  } else {
    setting.notion = FairnessNotion::kNone;
  }
  // Which terms are secret makes no difference to their sum.
  constexpr Adjacency kAny = Adjacency::kSensitive;
  ErmiPenalty penalty(setting, std::move(marginals));
  return with_problem(data, plan, std::move(penalty), kAny, hooks, [&](auto& problem) {
    return run_exact(data, plan, problem, std::move(opening), noise, hooks);
  });
}

}  // namespace

Result<TrainingResult> dp_fermi(const Dataset& all, const TrainingPlan& given, StepLedger& ledger,
                                NoiseSource noise, const TrainingHooks& hooks) {
  TrainingPlan plan = given;
  DPFERMI_TRY(draw_iterate(plan, noise));
  TrainingHooks started = hooks;
  if (plan.queries > 0) {
    DPFERMI_ASSIGN(started.start, model_without_fairness(all, plan, noise, hooks));
  }
  DPFERMI_ASSIGN(const FermiOpening opening, open_fermi(all, plan, ledger, noise, hooks));
  const Dataset& data = opening.regrouped ? *opening.regrouped : all;
  ErmiPenalty penalty(fairness_setting(plan), opening.marginals);
  DPFERMI_ASSIGN(
      TrainingResult result,
      with_problem(data, plan, std::move(penalty), plan.adjacency, started, [&](auto& problem) {
        return run_private(data, plan, opening, problem, ledger, noise, started);
      }));
  if (plan.queries == 0 || result.steps < plan.steps) return result;
  const QueryPlan asked{fairness_setting(plan), plan.adjacency, plan.query_noise, plan.queries,
                        kQueries};
  DPFERMI_ASSIGN(ResidualQueries queries,
                 ResidualQueries::create(data, asked, ledger, opening.charge, noise));
  MeasuredModels measured(data, plan, released_counts(plan, opening.marginals), std::move(queries));
  DPFERMI_TRY(measured.measure(started.start, 0));
  DPFERMI_TRY(measured.measure(result.theta, result.lambda));
  if (plan.max_violation) DPFERMI_TRY(measured.search(1));
  DPFERMI_TRY(measured.return_best(result));
  return result;
}

Result<TrainingResult> exact_fermi(const Dataset& data, const TrainingPlan& given,
                                   StepLedger& ledger, NoiseSource noise,
                                   const TrainingHooks& hooks) {
  TrainingPlan plan = given;
  DPFERMI_TRY(draw_iterate(plan, noise));
  DPFERMI_ASSIGN(ExactOpening opening, open_without_noise(plan, ledger, noise.reproducibility()));
  if (plan.model.boosted) return train_boosted(data, plan, std::move(opening.statement), hooks);
  if (plan.merge_small > 0 && reads_groups_exactly(plan)) {
    const std::vector<std::uint16_t> merged = exact_merging(data, plan, *opening.read);
    DPFERMI_ASSIGN(TrainingResult result, run_without_noise(with_merged_groups(data, merged), plan,
                                                            std::move(opening), noise, hooks));
    result.merged = merged;
    return result;
  }
  return run_without_noise(data, plan, std::move(opening), noise, hooks);
}

}  // namespace dpfermi
