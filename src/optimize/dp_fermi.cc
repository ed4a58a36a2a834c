#include "dpfermi/optimize/dp_fermi.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "dpfermi/optimize/defaults.h"
#include "dpfermi/optimize/oracles.h"
#include "dpfermi/privacy/accountant/price.h"
#include "dpfermi/privacy/mechanism/counts_privatizer.h"
#include "dpfermi/sample/index_sampler.h"
#include "optimize/fermi_run.h"

namespace dpfermi {
namespace {

constexpr std::size_t kCounts = 0;  // parts of the joint plan
constexpr std::size_t kSteps = 1;

Sampling step_sampling(const TrainingPlan& plan) {
  return {SamplingKind::kPoisson, plan.q, plan.q * plan.units};
}

/// Line 1: units by condition and group. A person is counted by one of their rows, so that each is
/// in one cell.
Result<GroupMarginals> release_marginals(const Dataset& data, const UnitRows& rows,
                                         const TrainingPlan& plan, ReleasePermit permit,
                                         NoiseLane lane) {
  using Groups = std::vector<std::uint16_t>;
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
  const std::vector<double> values(counts.values().begin(), counts.values().end());
  const double floor = std::max(defaults::kLeastCount, defaults::kFloor * plan.counts_sigma);
  std::vector<double> shares;
  if (public_labels) shares = condition_shares(data, rows, setting);
  return marginals_from(values, setting, std::move(shares), floor);
}

/// Asks the ledger for the steps up to the next checkpoint.
class StepPermits {
 public:
  StepPermits(StepLedger& ledger, std::uint64_t plan, std::uint64_t steps, std::uint64_t block)
      : ledger_(&ledger), plan_(plan), steps_(steps), block_(block == 0 ? steps : block) {}

  Result<ReleasePermit> from(std::uint64_t step) {
    return ledger_->claim(plan_, kSteps, step, std::min(block_, steps_ - step));
  }

 private:
  StepLedger* ledger_;
  std::uint64_t plan_;
  std::uint64_t steps_;
  std::uint64_t block_;
};

Result<PrivateOracle> make_oracle(const TrainingPlan& plan, const Dataset& data,
                                  const FermiProblem& problem, ReleasePermit permit,
                                  NoiseSource& noise) {
  const int bits = ContributionLayout::finest_lattice(plan.noise_multiplier);
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

/// Public batches, or none where nothing is public.
Result<PublicBatches> public_batches(const TrainingPlan& plan, const Dataset& data,
                                     NoiseSource& noise, std::uint64_t skip) {
  if (!features_are_public(plan.adjacency) && plan.noise_multiplier > 0) return PublicBatches();
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kPublicBatch));
  DPFERMI_ASSIGN(ShuffleSampler sampler,
                 ShuffleSampler::create(static_cast<std::uint32_t>(data.unit_count), plan.batch,
                                        std::move(lane)));
  sampler.skip(skip);
  auto shared = std::make_shared<ShuffleSampler>(std::move(sampler));
  return PublicBatches([shared] { return shared->next(); });
}

Result<SolverState> starting_state(const TrainingPlan& plan, const ErmiPenalty& penalty,
                                   NoiseSource& noise, const TrainingHooks& hooks) {
  if (hooks.resume != nullptr) return hooks.resume->state;
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kInitialValues));
  SolverState state;
  DPFERMI_ASSIGN(state.theta, InitialParameters::draw(plan.model, std::move(lane)));
  state.w = penalty.fair_w();
  return state;
}

bool report(const TrainingHooks& hooks, const TrainingPlan& plan, std::uint64_t step,
            double lambda) {
  return !hooks.progress || hooks.progress({step, plan.steps, lambda});
}

Status check_finite(std::span<const double> theta) {
  if (std::ranges::all_of(theta, [](double value) { return std::isfinite(value); })) return {};
  return failed("training diverged; use a smaller --learning-rate or a smaller --lambda");
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// P(j | r, c) from joint probabilities.
std::vector<double> rates_from(const FermiProblem& problem) {
  std::vector<double> rates = problem.table().smoothed();
  const std::size_t l = problem.penalty().setting().classes;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    rates[i] = std::clamp(rates[i] / problem.penalty().marginals().groups[i / l], 0.0, 1.0);
  }
  return rates;
}

}  // namespace

Result<JointPlan> fermi_releases(const TrainingPlan& plan) {
  DPFERMI_ASSIGN(const PrivacyEvent counts, counts_event(plan.adjacency, plan.counts_sigma));
  DPFERMI_ASSIGN(const PrivacyEvent step,
                 gaussian_event(plan.adjacency, step_sampling(plan), plan.noise_multiplier));
  return JointPlan{
      "training",
      {{"group counts", counts, 1, 0}, {"training steps", step, plan.steps, plan.spare_steps}}};
}

Result<TrainingResult> dp_fermi(const Dataset& data, const TrainingPlan& plan, StepLedger& ledger,
                                NoiseSource noise, const TrainingHooks& hooks) {
  const FairnessSetting setting = fairness_setting(plan);
  const UnitRows rows(data);

  // 0. Everything that will be released is charged before anything is read.
  DPFERMI_ASSIGN(JointPlan releases, fermi_releases(plan));
  releases.cost = {plan.epsilon, plan.delta};
  releases.fixed_seed = noise.reproducibility() == Reproducibility::kReproducible;
  std::uint64_t charge = 0;
  GroupMarginals marginals;
  if (hooks.resume != nullptr) {
    charge = hooks.resume->ledger_plan;
    marginals = {hooks.resume->shares, hooks.resume->marginals};
  } else {
    DPFERMI_ASSIGN(charge, ledger.plan(releases));
    // 1. Noisy group counts, once.
    DPFERMI_ASSIGN(ReleasePermit permit, ledger.claim(charge, kCounts, 0, 1));
    DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kCountsNoise));
    DPFERMI_ASSIGN(marginals,
                   release_marginals(data, rows, plan, std::move(permit), std::move(lane)));
  }

  // 2. The steps.
  FermiProblem problem(data, Network(plan.model), ErmiPenalty(setting, marginals), plan.adjacency,
                       fermi_options(plan), hooks.threads);
  DPFERMI_ASSIGN(SolverState state, starting_state(plan, problem.penalty(), noise, hooks));
  const std::uint64_t first = state.step;
  if (hooks.resume != nullptr) {
    problem.restore(hooks.resume->table, first);
    problem.set_lambda(hooks.resume->lambda);
  }
  StepPermits permits(ledger, charge, plan.steps, hooks.checkpoint_every);
  DPFERMI_ASSIGN(ReleasePermit permit, permits.from(first));
  DPFERMI_ASSIGN(PrivateOracle oracle, make_oracle(plan, data, problem, std::move(permit), noise));
  if (releases.fixed_seed) oracle.skip(first);
  DPFERMI_ASSIGN(const PublicBatches batches, public_batches(plan, data, noise, first));

  const LambdaController controller(plan.max_violation.value_or(0), plan.steps);
  Status trouble;
  const Observer observer = [&](const SolverState& now) {
    if (plan.max_violation) {
      problem.set_lambda(controller.next(problem.lambda(), problem.decision_violation()));
    }
    if (!report(hooks, plan, now.step, problem.lambda())) return false;
    if (oracle.privatizer().remaining() > 0 || now.step == plan.steps) return true;
    trouble = hooks.checkpoint(
        {plan, now, problem.lambda(), marginals.shares, marginals.groups, problem.state(), charge});
    if (!trouble) return false;
    auto next = permits.from(now.step);
    trouble = next ? oracle.privatizer().renew(std::move(*next))
                   : Status(tl::unexpected(std::move(next).error()));
    return trouble.has_value();
  };
  SolverOptions options = solver_options(plan);
  options.theta_rate = fermi_rate(plan, problem);
  Workers workers(hooks.threads);
  const auto start = std::chrono::steady_clock::now();
  DPFERMI_TRY(solve(problem, oracle, batches, options, state, observer, &workers));
  DPFERMI_TRY(std::move(trouble));

  // 3. The iterate that the rule chooses, and what was released about it.
  TrainingResult result;
  result.seconds = seconds_since(start);
  result.theta = chosen_iterate(state, options);
  DPFERMI_TRY(check_finite(result.theta));
  result.lambda = problem.lambda();
  result.steps = state.step;
  result.released_shares = marginals.groups;
  result.released_rates = rates_from(problem);
  result.statement.adjacency = plan.adjacency;
  result.statement.cost = releases.cost;
  result.statement.accountant = "PLD, certified upper bound";
  for (const PlannedPart& part : releases.parts) {
    result.statement.releases.push_back({part.purpose, part.event, part.steps + part.spare});
  }
  result.statement.noise = noise.reproducibility();
  return result;
}

Result<TrainingResult> exact_fermi(const Dataset& data, const TrainingPlan& plan, NoiseSource noise,
                                   const TrainingHooks& hooks) {
  const bool reads_s = plan.method == Method::kFermi && plan.notion != FairnessNotion::kNone;
  FairnessSetting setting = fairness_setting(plan);
  if (!reads_s) setting.notion = FairnessNotion::kNone;
  const UnitRows rows(data);
  GroupMarginals marginals;
  if (reads_s) {
    const std::vector<std::uint16_t>& s = ExactForHolder::read(data.s);
    const std::vector<std::uint32_t> condition = setting.condition_by_label();
    std::vector<double> counts((setting.conditions() + 1) * setting.groups);
    for (std::size_t row = 0; row < data.rows(); ++row) {
      counts[condition[data.y[row]] * setting.groups + s[row]] += 1;
    }
    counts.resize(setting.conditions() * setting.groups);
    marginals = marginals_from(counts, setting, condition_shares(data, rows, setting),
                               defaults::kLeastCount);
  }
  FermiProblem problem(data, Network(plan.model), ErmiPenalty(setting, marginals),
                       Adjacency::kSensitive, fermi_options(plan), hooks.threads);
  DPFERMI_ASSIGN(SolverState state, starting_state(plan, problem.penalty(), noise, hooks));
  if (hooks.resume != nullptr) problem.restore(hooks.resume->table, state.step);
  DPFERMI_ASSIGN(const PublicBatches batches, public_batches(plan, data, noise, state.step));
  const LambdaController controller(plan.max_violation.value_or(0), plan.steps);
  const Observer observer = [&](const SolverState& now) {
    if (plan.max_violation) {
      problem.set_lambda(controller.next(problem.lambda(), problem.decision_violation()));
    }
    return report(hooks, plan, now.step, problem.lambda());
  };
  SolverOptions options = solver_options(plan);
  options.theta_rate = fermi_rate(plan, problem);
  Workers workers(hooks.threads);
  const auto start = std::chrono::steady_clock::now();
  if (reads_s) {
    ExactOracle oracle;
    DPFERMI_TRY(solve(problem, oracle, batches, options, state, observer, &workers));
  } else {
    NoOracle oracle;
    DPFERMI_TRY(solve(problem, oracle, batches, options, state, observer, &workers));
  }
  TrainingResult result;
  result.seconds = seconds_since(start);
  result.theta = chosen_iterate(state, options);
  DPFERMI_TRY(check_finite(result.theta));
  result.lambda = problem.lambda();
  result.steps = state.step;
  result.statement.adjacency = plan.adjacency;
  result.statement.noise = noise.reproducibility();
  return result;
}

}  // namespace dpfermi
