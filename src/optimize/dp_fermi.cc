#include "optimize/dp_fermi.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/mutant.h"
#include "core/team.h"
#include "dpfermi/optimize/oracles.h"
#include "optimize/boosted_training.h"
#include "optimize/deep_problem.h"
#include "optimize/fermi_problem.h"
#include "optimize/group_marginals.h"
#include "optimize/measured_run.h"
#include "optimize/model_choice.h"
#include "optimize/small_groups.h"
#include "optimize/train_at_once.h"
#include "optimize/training_defaults.h"
#include "optimize/training_run.h"

namespace dpfermi {
namespace {

constexpr std::size_t kCounts = 0;  // parts of the joint plan
constexpr std::size_t kSteps = 1;
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

/// P(yhat = j | r, c), where decisions were watched: cut to [0, 1], then made to sum to one.
std::vector<double> decision_rates(const TrainingPlan& plan, const FairnessState& fairness) {
  if (!plan.max_violation) return {};
  std::vector<double> rates = fairness.decisions().smoothed();
  const std::size_t l = fairness.penalty().setting().classes;
  for (std::size_t cell = 0; cell < rates.size() / l; ++cell) {
    const std::span<double> own = std::span(rates).subspan(cell * l, l);
    double sum = 0;
    for (double& rate : own) {
      rate = std::clamp(rate / fairness.penalty().marginals().groups[cell], 0.0, 1.0);
      sum += rate;
    }
    for (double& rate : own) rate = sum > 0 ? rate / sum : 1 / static_cast<double>(l);
  }
  return rates;
}

/// Without a query: by the decisions of the last steps, whose iterates are close to the model.
TargetVerdict judge_steps(const TrainingPlan& plan, const FairnessState& fairness) {
  const FairnessSetting& setting = fairness.penalty().setting();
  const GroupMarginals& marginals = fairness.penalty().marginals();
  const std::vector<double> joint = fairness.decisions().smoothed();
  const std::vector<double> noise = fairness.decisions().smoothed_noise();
  NoisyRates noisy{{}, marginals.known};
  for (std::size_t i = 0; i < joint.size(); ++i) {
    const std::size_t cell = i / setting.classes;
    if (setting.width() == 1 && i % 2 == 0) continue;
    noisy.rates.push_back(
        {joint[i] / marginals.groups[cell], noise[cell / setting.groups] / marginals.groups[cell]});
  }
  return judge_target(setting, noisy, *plan.max_violation);
}

/// Where records are protected so are errors, but rates of decisions given the label, which odds
/// compare, and the counts of labels tell them, with noise. A model that they put above the best
/// constant by more than a standard deviation is not returned; the constant is, which is fair.
void prefer_constant(const TrainingPlan& plan, const FairnessState& fairness,
                     TrainingResult& result) {
  const FairnessSetting& setting = fairness.penalty().setting();
  const std::vector<double>& shares = fairness.penalty().marginals().shares;
  if (setting.conditions() != setting.classes || plan.network_parameters > 0) return;
  const std::vector<double> joint = fairness.decisions().smoothed();
  const std::vector<double> noise = fairness.decisions().smoothed_noise();
  double error = 1;
  double variance = 0;
  for (std::size_t c = 0; c < setting.conditions(); ++c) {
    for (std::size_t r = 0; r < setting.groups; ++r) {
      error -= shares[c] * joint[(c * setting.groups + r) * setting.classes + c];
      variance += std::pow(shares[c] * noise[c], 2);
    }
  }
  const auto commonest = std::ranges::max_element(shares);
  const double constant_error = 1 - *commonest;
  if (error <= constant_error + std::sqrt(variance)) return;
  const auto label = static_cast<std::size_t>(commonest - shares.begin());
  result.theta = constant_member(plan.model, label);
  result.returned = fmt::format(
      "the constant: by released figures the trained model errs on {:.3f} of the training data, "
      "the constant on {:.3f}",
      error, constant_error);
  for (std::size_t i = 0; i < result.released_rates.size(); ++i) {
    result.released_rates[i] = i % setting.classes == label ? 1 : 0;
  }
  result.target = TargetVerdict{.met = true};
}

/// What was charged and released before the first step.
struct Opening {
  JointPlan releases;
  std::uint64_t charge = 0;
  GroupMarginals marginals;
  std::vector<std::uint16_t> merged;  ///< as in TrainingResult
  std::optional<Dataset> regrouped;   ///< the data, where small groups were merged
};

/// Which groups are merged, where that was asked for, and the counts of those that are left.
Status release_counts(const Dataset& data, const TrainingPlan& plan, StepLedger& ledger,
                      NoiseSource& noise, Opening& opening) {
  DPFERMI_ASSIGN(ReleasePermit permit,
                 ledger.claim(opening.charge, kCounts, 0, opening.releases.parts[kCounts].steps));
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kCountsNoise));
  DPFERMI_ASSIGN(CountsPrivatizer counts,
                 CountsPrivatizer::create(plan.adjacency, plan.counts_sigma, std::move(permit),
                                          std::move(lane)));
  if (plan.merge_small > 0) {
    DPFERMI_ASSIGN(opening.merged, released_merging(data, plan, counts));
    opening.regrouped = with_merged_groups(data, opening.merged);
  }
  DPFERMI_ASSIGN(opening.marginals,
                 release_marginals(opening.regrouped ? *opening.regrouped : data, plan, counts));
  return {};
}

/// Lines 0 and 1, or what the checkpoint knows of them.
Result<Opening> open_run(const Dataset& data, const TrainingPlan& plan, StepLedger& ledger,
                         NoiseSource& noise, const TrainingHooks& hooks) {
  Opening opening;
  DPFERMI_ASSIGN(opening.releases, priced_releases(plan));
  if (opening.releases.cost.epsilon > plan.certified_epsilon) {
    return usage_error("the plan promises less than it costs; make it with plan_training");
  }
  opening.releases.fixed_seed = noise.reproducibility() == Reproducibility::kReproducible;
  if (hooks.resume != nullptr) {
    opening.charge = hooks.resume->ledger_plan;
    opening.marginals = {hooks.resume->shares, hooks.resume->marginals};
    opening.merged = hooks.resume->merged;
    if (!opening.merged.empty()) opening.regrouped = with_merged_groups(data, opening.merged);
  } else {
    DPFERMI_ASSIGN(opening.charge, ledger.plan(opening.releases));
    DPFERMI_TRY(release_counts(data, plan, ledger, noise, opening));
  }
  mark_known(plan, opening.marginals);
  if (mutant(Mutant::kKnownByGroups))
    opening.marginals.known.front() = ExactForHolder::read(data.s).back() == 0;
  return opening;
}

ReleasedCounts released_counts(const TrainingPlan& plan, const GroupMarginals& marginals) {
  ReleasedCounts released{{}, plan.counts_sigma, marginals.known};
  for (std::size_t cell = 0; cell < marginals.groups.size(); ++cell) {
    released.counts.push_back(marginals.groups[cell] * marginals.shares[cell / plan.groups] *
                              plan.units);
  }
  return released;
}

PrivacyStatement private_statement(const TrainingPlan& plan, const JointPlan& releases) {
  PrivacyStatement statement = statement_of(plan.adjacency, releases);
  if (plan.ideal_noise) statement.assumptions.emplace_back(kIdealNoise);
  if (plan.network_parameters > 0) {
    statement.assumptions.emplace_back(
        "the program that sums up gradients of the network: that what a unit adds is bounded and "
        "depends on that unit alone");
  }
  return statement;
}

/// theta_0 where decisions are queried: the minimum of the loss, which is public. Nothing has been
/// charged yet, so that stopping here costs nothing.
Result<std::vector<double>> model_without_fairness(const Dataset& data, const TrainingPlan& plan,
                                                   NoiseSource& noise, const TrainingHooks& hooks) {
  DPFERMI_ASSIGN(std::vector<double> first, starting_parameters(plan, noise, hooks));
  const std::size_t most = start_iterations(plan, data.rows());
  std::size_t done = 0;
  bool goes_on = true;
  const auto watch = [&](std::span<const double> theta) {
    const double share = static_cast<double>(done) / static_cast<double>(most + 1);
    if (goes_on && hooks.progress) {
      goes_on = hooks.progress({0, plan.steps, plan.lambda, theta, share});
    }
    return goes_on;
  };
  Workers workers(hooks.threads, hooks.team);
  workers.stop_when([&] { return !watch(first); });
  Result<ProxyFit> unfair =
      minimise_loss(data, plan.model, first, workers, most, [&](std::span<const double> theta) {
        done = std::min(done + 1, most);
        return watch(theta);
      });
  if (!goes_on) {
    return failed(hooks.resume == nullptr
                      ? "interrupted: nothing was charged, and no model was written"
                      : "interrupted: nothing more was charged, and no model was written");
  }
  // Inputs that are not finite have no minimum.
  return unfair ? std::move(unfair->theta) : std::move(first);
}

template <MinMaxProblem Problem>
Result<TrainingResult> run_private(const Dataset& data, const TrainingPlan& plan,
                                   const Opening& opening, Problem& problem, StepLedger& ledger,
                                   NoiseSource& noise, const TrainingHooks& hooks) {
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
      const double share = exact_marginals(data, fairness_setting(plan)).groups.front();
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
                                 PrivacyStatement statement, NoiseSource& noise,
                                 const TrainingHooks& hooks) {
  DPFERMI_ASSIGN(SolverState state,
                 starting_state(plan, problem.fairness().penalty().fair_w(), noise, hooks));
  DPFERMI_ASSIGN(const PublicBatches batches, public_batches(plan, data, noise, state.step));
  const AfterStep after = [](const SolverState&) { return true; };
  if (reads_groups_exactly(plan)) {
    ExactOracle oracle;
    return run_steps(plan, problem, oracle, batches, state, after, std::move(statement), hooks);
  }
  NoOracle oracle;
  return run_steps(plan, problem, oracle, batches, state, after, std::move(statement), hooks);
}

/// All rows at once, or steps.
Result<TrainingResult> run_without_noise(const Dataset& data, const TrainingPlan& plan,
                                         PrivacyStatement statement, NoiseSource& noise,
                                         const TrainingHooks& hooks) {
  if (plan.at_once) return train_at_once(data, plan, std::move(statement), noise, hooks);
  FairnessSetting setting = fairness_setting(plan);
  GroupMarginals marginals;
  if (reads_groups_exactly(plan)) {
    marginals = positive_marginals(data, setting);
  } else {
    setting.notion = FairnessNotion::kNone;
  }
  // Which terms are secret makes no difference to their sum.
  constexpr Adjacency kAny = Adjacency::kSensitive;
  ErmiPenalty penalty(setting, std::move(marginals));
  return with_problem(data, plan, std::move(penalty), kAny, hooks, [&](auto& problem) {
    return run_exact(data, plan, problem, std::move(statement), noise, hooks);
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
  DPFERMI_ASSIGN(const Opening opening, open_run(all, plan, ledger, noise, hooks));
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
  DPFERMI_ASSIGN(PrivacyStatement statement,
                 exact_statement(plan, ledger, noise.reproducibility()));
  if (plan.model.boosted) return train_boosted(data, plan, std::move(statement), hooks);
  if (plan.merge_small > 0) {
    const std::vector<std::uint16_t> merged = exact_merging(data, plan);
    DPFERMI_ASSIGN(TrainingResult result, run_without_noise(with_merged_groups(data, merged), plan,
                                                            std::move(statement), noise, hooks));
    result.merged = merged;
    return result;
  }
  return run_without_noise(data, plan, std::move(statement), noise, hooks);
}

}  // namespace dpfermi
