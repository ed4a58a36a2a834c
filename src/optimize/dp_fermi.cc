#include "dpfermi/optimize/dp_fermi.h"

#include <algorithm>

#include "dpfermi/core/mutant.h"
#include "dpfermi/optimize/deep_problem.h"
#include "dpfermi/optimize/defaults.h"
#include "dpfermi/optimize/dp_fermi_paper.h"
#include "dpfermi/optimize/oracles.h"
#include "dpfermi/privacy/accountant/price.h"
#include "dpfermi/privacy/mechanism/counts_privatizer.h"
#include "dpfermi/random/rounded_gaussian.h"
#include "optimize/fermi_run.h"
#include "optimize/run_support.h"

namespace dpfermi {
namespace {

constexpr std::size_t kCounts = 0;  // parts of the joint plan
constexpr std::size_t kSteps = 1;

Sampling step_sampling(const TrainingPlan& plan) {
  return {SamplingKind::kPoisson, plan.q, plan.q * plan.units};
}

/// Line 1: units by condition and group. A person is counted by one of their rows, so that each is
/// in one cell.
Result<GroupMarginals> release_marginals(const Dataset& data, const TrainingPlan& plan,
                                         ReleasePermit permit, NoiseLane lane) {
  using Groups = std::vector<std::uint16_t>;
  const UnitRows rows(data);
  const FairnessSetting setting = fairness_setting(plan);
  const std::vector<std::uint32_t> condition = setting.condition_by_label();
  DPFERMI_ASSIGN(CountsPrivatizer privatizer,
                 CountsPrivatizer::create(plan.adjacency, plan.counts_sigma, std::move(permit),
                                          std::move(lane)));
  // The last cell is for rows of no condition; where labels are public nobody needs it.
  const std::size_t cells = setting.conditions() * setting.groups;
  const auto cell_of = [&](const Groups& s, std::uint32_t unit) {
    const std::uint32_t row = rows.representative(unit);
    const std::size_t c = condition[data.y[row]];
    return c == setting.conditions() ? cells : c * setting.groups + s[row];
  };
  const bool public_labels = features_are_public(plan.adjacency);
  DPFERMI_ASSIGN(const NoisyCounts counts,
                 privatizer.release(data.s, static_cast<std::uint32_t>(data.unit_count),
                                    public_labels ? cells : cells + 1, cell_of));
  std::vector<double> values(counts.values().begin(), counts.values().end());
  if (mutant(Mutant::kExactShares)) {
    values = exact_marginals(data, setting).groups;
    for (double& value : values) value *= plan.units;
  }
  const double floor = std::max(defaults::kLeastCount, defaults::kFloor * plan.counts_sigma);
  std::vector<double> shares;
  if (public_labels) shares = condition_shares(data, rows, setting);
  return marginals_from(values, setting, std::move(shares), floor);
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
std::vector<double> decision_rates(const TrainingPlan& plan, const FermiTerms& problem) {
  if (!plan.max_violation) return {};
  std::vector<double> rates = problem.decisions().smoothed();
  const std::size_t l = problem.penalty().setting().classes;
  for (std::size_t cell = 0; cell < rates.size() / l; ++cell) {
    const std::span<double> own = std::span(rates).subspan(cell * l, l);
    double sum = 0;
    for (double& rate : own) {
      rate = std::clamp(rate / problem.penalty().marginals().groups[cell], 0.0, 1.0);
      sum += rate;
    }
    for (double& rate : own) rate = sum > 0 ? rate / sum : 1 / static_cast<double>(l);
  }
  return rates;
}

/// What was charged and released before the first step.
struct Opening {
  JointPlan releases;
  std::uint64_t charge = 0;
  GroupMarginals marginals;
};

/// Steps 2 and 3, on whatever the model is.
template <MinMaxProblem Problem>
Result<TrainingResult> run_steps(const Dataset& data, const TrainingPlan& plan,
                                 const Opening& opening, Problem& problem, StepLedger& ledger,
                                 NoiseSource& noise, const TrainingHooks& hooks) {
  const GroupMarginals& marginals = opening.marginals;
  DPFERMI_ASSIGN(SolverState state, starting_state(plan, problem.penalty().fair_w(), noise, hooks));
  if (hooks.resume != nullptr) {
    problem.restore(hooks.resume->table, state.step);
    problem.set_lambda(hooks.resume->lambda);
  }
  StepPermits permits(ledger, opening.charge, kSteps, plan.steps, hooks.checkpoint_every);
  DPFERMI_ASSIGN(ReleasePermit permit, permits.from(state.step));
  DPFERMI_ASSIGN(PrivateOracle oracle, make_oracle(plan, data, problem, std::move(permit), noise));
  if (opening.releases.fixed_seed) oracle.skip(state.step);
  PublicBatches batches;
  if (features_are_public(plan.adjacency)) {
    DPFERMI_ASSIGN(batches, public_batches(plan, data, noise, state.step));
  }

  const LambdaController controller(plan);
  Status trouble;
  const StepWatcher observer = [&](const SolverState& now) {
    controller.steer(problem);
    if (mutant(Mutant::kStopByExactSums) && ExactForHolder::read(data.s).back() == 0) return false;
    if (!report(hooks, plan, now, problem.lambda())) return false;
    if (oracle.privatizer().remaining() > 0 || now.step == plan.steps) return true;
    trouble = next_block(hooks,
                         {plan, now, problem.lambda(), marginals.shares, marginals.groups,
                          problem.state(), opening.charge},
                         permits, oracle.privatizer());
    return trouble.has_value();
  };
  SolverOptions options = solver_options(plan);
  options.theta_rate = fermi_rate(plan, problem);
  Workers workers(hooks.threads);
  const Stopwatch watch;
  DPFERMI_TRY(solve(problem, oracle, batches, options, state, observer, &workers));
  DPFERMI_TRY(std::move(trouble));

  // 3. The iterate that the rule chooses, and what was released about it.
  DPFERMI_ASSIGN(TrainingResult result, finish(state, options, problem.lambda(), watch.seconds(),
                                               statement_of(plan.adjacency, opening.releases)));
  if (plan.ideal_noise) result.statement.assumptions.emplace_back(kIdealNoise);
  if (plan.network > 0) {
    result.statement.assumptions.emplace_back(
        "the program that sums up gradients of the network: that what a unit adds is bounded and "
        "depends on that unit alone");
  }
  result.released_shares = marginals.groups;
  result.known_groups = marginals.known;
  result.released_rates = decision_rates(plan, problem);
  return result;
}

}  // namespace

Result<JointPlan> fermi_releases(const TrainingPlan& plan) {
  DPFERMI_ASSIGN(const PrivacyEvent counts, counts_event(plan.adjacency, plan.counts_sigma));
  DPFERMI_ASSIGN(const PrivacyEvent step,
                 gaussian_event(plan.adjacency, step_sampling(plan), plan.noise_multiplier));
  return JointPlan{
      plan.ideal_noise ? "training, its noise taken for exactly Gaussian" : "training",
      {{"group counts", counts, 1, 0}, {"training steps", step, plan.steps, plan.spare_steps}}};
}

Result<JointPlan> priced_releases(const TrainingPlan& plan) {
  DPFERMI_ASSIGN(JointPlan releases, fermi_releases(plan));
  // At most two tables, of conditions x groups x classes.
  const std::size_t tables = 2 * fairness_setting(plan).w_size();
  const auto entries = static_cast<double>(plan.parameter_count() + tables);
  const auto steps = static_cast<double>(plan.steps + plan.spare_steps);
  const double precision = plan.ideal_noise ? 0 : RoundedGaussian::kTotalVariation;
  return priced_plan(std::move(releases), plan.delta, steps * entries * precision);
}

Result<TrainingResult> dp_fermi(const Dataset& data, const TrainingPlan& given, StepLedger& ledger,
                                NoiseSource noise, const TrainingHooks& hooks) {
  TrainingPlan plan = given;
  DPFERMI_TRY(draw_iterate(plan, noise));

  // 0. Everything that will be released is charged before anything is read.
  Opening opening;
  DPFERMI_ASSIGN(opening.releases, priced_releases(plan));
  if (opening.releases.cost.epsilon > plan.epsilon) {
    return usage_error("the plan promises less than it costs; make it with plan_training");
  }
  opening.releases.fixed_seed = noise.reproducibility() == Reproducibility::kReproducible;
  if (hooks.resume != nullptr) {
    opening.charge = hooks.resume->ledger_plan;
    opening.marginals = {hooks.resume->shares, hooks.resume->marginals};
  } else {
    DPFERMI_ASSIGN(opening.charge, ledger.plan(opening.releases));
    // 1. Noisy group counts, once.
    DPFERMI_ASSIGN(ReleasePermit permit, ledger.claim(opening.charge, kCounts, 0, 1));
    DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kCountsNoise));
    DPFERMI_ASSIGN(opening.marginals,
                   release_marginals(data, plan, std::move(permit), std::move(lane)));
  }
  mark_known(plan, opening.marginals);

  // 2. The steps.
  ErmiPenalty penalty(fairness_setting(plan), opening.marginals);
  if (plan.network > 0) {
    DPFERMI_ASSIGN(DeepProblem problem,
                   DeepProblem::create(data, *hooks.network, std::move(penalty), plan.adjacency,
                                       fermi_options(plan)));
    return run_steps(data, plan, opening, problem, ledger, noise, hooks);
  }
  FermiProblem problem(data, Network(plan.model), std::move(penalty), plan.adjacency,
                       fermi_options(plan), hooks.threads);
  return run_steps(data, plan, opening, problem, ledger, noise, hooks);
}

}  // namespace dpfermi
