#include "baselines/pf_ld.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "baselines/claims.h"
#include "baselines/functional_problem.h"
#include "baselines/noisy_steps.h"
#include "baselines/pf_ld_duals.h"
#include "optimize/group_marginals.h"
#include "optimize/training_run.h"
#include "privacy/accountant/gdp_accountant.h"
#include "sketch/group_sums.h"

namespace dpfermi {
namespace {

constexpr std::size_t kGaps = 0;  // parts of the charge
constexpr std::size_t kPfLdSteps = 1;

FairnessSetting setting_of(const TrainingPlan& plan, const PfLdOptions& options) {
  FairnessSetting setting = fairness_setting(plan);
  if (options.accuracy_parity) setting.notion = FairnessNotion::kDemographicParity;
  return setting;
}

std::size_t h_width(const FairnessSetting& setting, bool accuracy) {
  return accuracy ? 1 : setting.width();
}

/// (h, 1) of every row, for one theta.
class GapVectors {
 public:
  GapVectors(const Dataset& data, const TrainingPlan& plan, const PfLdOptions& options)
      : data_(&data),
        network_(plan.model),
        tau_(options.tau),
        accuracy_(options.accuracy_parity),
        width_(h_width(setting_of(plan, options), accuracy_)) {}

  /// Class probabilities of sharpness tau are those of outputs times tau.
  void predict_with(std::span<const double> theta) {
    std::vector<double> sharp(theta.begin(), theta.end());
    const std::size_t last = network_.layers().back().parameters();
    for (double& value : std::span(sharp).last(last)) value *= tau_;
    f_ = predict(network_, sharp, data_->x);
  }

  PublicVectors vectors() const {
    const double bound = std::sqrt(2.0);  // probabilities and a one
    return {width_ + 1, bound,
            [this](std::uint32_t row, std::span<double> out) { write(row, out); }};
  }

 private:
  void write(std::uint32_t row, std::span<double> out) const {
    const std::size_t l = data_->classes;
    const float* f = f_.data() + row * l;
    if (accuracy_) {
      out[0] = 1 - f[data_->y[row]];
    } else if (width_ == 1) {
      out[0] = f[1];
    } else {
      for (std::size_t j = 0; j < l; ++j) out[j] = f[j];
    }
    out[width_] = 1;
  }

  const Dataset* data_;
  Network network_;
  double tau_;
  bool accuracy_;
  std::size_t width_;
  std::vector<float> f_;  ///< rows x classes
};

/// Noise of the gaps from their share of the budget.
double gap_noise(const TrainingPlan& plan, const PfLdOptions& options) {
  const double mu = std::sqrt(options.gap_share) * gdp_mu_for(options.epsilon, plan.delta);
  return neighbour_distance(plan.adjacency) * std::sqrt(static_cast<double>(options.rounds)) / mu;
}

/// Everything that will be released: gaps, then steps.
Result<CalibratedRun> charge_all(const TrainingPlan& plan, const PfLdOptions& options,
                                 std::size_t gap_entries, const NoiseSource& noise,
                                 StepLedger& ledger) {
  DPFERMI_ASSIGN(
      const PrivacyEvent gap_event,
      gaussian_event(plan.adjacency, {SamplingKind::kEveryone, 1, static_cast<double>(plan.units)},
                     gap_noise(plan, options)));
  const PartsOfNoise parts = [&](double z) -> Result<std::vector<PlannedPart>> {
    DPFERMI_ASSIGN(PlannedPart steps, step_part(plan, z));
    return std::vector<PlannedPart>{{"gaps", gap_event, options.rounds, 0}, std::move(steps)};
  };
  const double precision = noise_precision(plan.steps, plan.model.parameter_count()) +
                           noise_precision(options.rounds, gap_entries);
  return charge_calibrated(parts, options, plan.delta, precision, noise, ledger);
}

/// Measures the gaps of a model, privately, and moves the multipliers.
class DualSide {
 public:
  DualSide(const Dataset& data, const TrainingPlan& plan, const PfLdOptions& options)
      : data_(&data),
        setting_(setting_of(plan, options)),
        vectors_(data, plan, options),
        duals_(setting_, condition_shares(data, UnitRows(data), setting_),
               h_width(setting_, options.accuracy_parity), options.accuracy_parity),
        rate_(options.lambda / (PfLdDuals::kMostGap * static_cast<double>(options.rounds))) {}

  std::size_t entries() const {
    return setting_.conditions() * setting_.groups * vectors_.vectors().size;
  }

  Status open(Adjacency adjacency, double z, ReleasePermit permit, NoiseSource& noise) {
    DPFERMI_ASSIGN(ContributionLayout layout, group_sums_layout(setting_, vectors_.vectors(), z));
    DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kResidualNoise));
    DPFERMI_ASSIGN(mechanism_, Privatizer::create(std::move(layout), adjacency, z,
                                                  std::move(permit), std::move(lane)));
    return {};
  }

  /// Requires open().
  Status round(std::span<const double> theta, FunctionalProblem& problem) {
    vectors_.predict_with(theta);
    DPFERMI_ASSIGN(const GroupSums sums,
                   release_group_sums(*data_, setting_, vectors_.vectors(), *mechanism_));
    duals_.update(sums, rate_);
    problem.set_functionals(duals_.functionals());
    return {};
  }

  const PfLdDuals& duals() const { return duals_; }

 private:
  const Dataset* data_;
  FairnessSetting setting_;
  GapVectors vectors_;
  PfLdDuals duals_;
  double rate_;
  std::optional<Privatizer> mechanism_;
};

/// The loss alone: public, and free.
Result<std::vector<double>> warm_up(const TrainingPlan& plan, const PublicBatches& batches,
                                    FunctionalProblem& problem, SolverState state,
                                    Workers& workers) {
  SolverOptions solver = averaging_solver(plan, [&](std::uint64_t) { return plan.theta_rate; });
  solver.steps = plan.steps / 4;
  NoOracle nothing;
  DPFERMI_TRY(solve(problem, nothing, batches, solver, state, {}, &workers));
  return std::move(state.theta);
}

Result<TrainingPlan> plan_of(const Dataset& data, const PfLdOptions& options) {
  if (options.rounds == 0 || !(options.gap_share > 0 && options.gap_share < 1) ||
      !(options.tau > 0 && std::isfinite(options.tau))) {
    return usage_error("pf-ld needs at least one round, a share in (0, 1) and a positive tau");
  }
  DPFERMI_ASSIGN(TrainingPlan plan, starting_plan(data, options));
  plan.clip_norm *= options.tau;
  plan.tau = options.tau;
  plan.lambda = options.lambda;
  plan.steps = std::max(options.steps / options.rounds, std::uint64_t{1}) * options.rounds;
  return plan;
}

Result<BaselineResult> train_pf_ld(const Dataset& data, const BaselineOptions& options,
                                   StepLedger& ledger, NoiseSource noise,
                                   const TrainingHooks& hooks) {
  return pf_ld(data, PfLdOptions{options}, ledger, std::move(noise), hooks);
}

}  // namespace

extern const MethodDescriptor methods::pf_ld = {
    .name = "pf-ld",
    .origin = "Tran, Fioretto and Van Hentenryck 2021",
    .summary = "private and fair: Lagrangian duality with noisy gaps and gradients",
    .multi_class = true,
    .notions = {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds,
                FairnessNotion::kEqualOpportunity},
    .adjacencies = {Adjacency::kSensitive},
    .knob = Knob::kWeight,
    .knob_meaning = "what a multiplier reaches if its gap stays at 0.25",
    .parity_values = {0, 0.5, 1, 2, 8, 32},
    .odds_values = {0, 0.25, 0.5, 2, 8, 32},
    .minibatch = true,
    .takes_hidden = true,
    .claim = "Renyi divergences; signs of gaps and group sizes are not paid for",
    .train = train_pf_ld,
};

Result<BaselineResult> pf_ld(const Dataset& data, const PfLdOptions& options, StepLedger& ledger,
                             NoiseSource noise, const TrainingHooks& hooks) {
  DPFERMI_ASSIGN(const TrainingPlan plan, plan_of(data, options));
  FunctionalProblem problem(data, Network(plan.model),
                            {.adjacency = plan.adjacency,
                             .setting = setting_of(plan, options),
                             .tau = plan.tau,
                             .clip_norm = plan.clip_norm},
                            hooks.threads);
  DualSide dual(data, plan, options);
  DPFERMI_ASSIGN(CalibratedRun run, charge_all(plan, options, dual.entries(), noise, ledger));
  DPFERMI_ASSIGN(ReleasePermit gaps, ledger.claim(run.charge.plan, kGaps, 0, options.rounds));
  DPFERMI_TRY(dual.open(plan.adjacency, gap_noise(plan, options), std::move(gaps), noise));
  DPFERMI_ASSIGN(ReleasePermit steps, ledger.claim(run.charge.plan, kPfLdSteps, 0, plan.steps));
  DPFERMI_ASSIGN(PrivateOracle oracle, step_oracle(plan, data, problem.segments(),
                                                   run.noise_multiplier, std::move(steps), noise));
  DPFERMI_ASSIGN(const PublicBatches batches, public_batches(plan, data, noise, 0));
  DPFERMI_ASSIGN(SolverState state, starting_state(plan, {}, noise, hooks));
  Workers workers(hooks.threads);
  const Stopwatch watch;
  DPFERMI_ASSIGN(state.theta, warm_up(plan, batches, problem, state, workers));
  DPFERMI_TRY(dual.round(state.theta, problem));

  const SolverOptions solver = averaging_solver(plan, [&](std::uint64_t) {
    return std::min(plan.theta_rate,
                    longest_step(plan, run.noise_multiplier, problem.noise_scale()));
  });
  const std::uint64_t every = plan.steps / options.rounds;
  Status trouble;
  const StepWatcher observer = [&](const SolverState& now) {
    if (!tell_progress(hooks, plan, now, plan.lambda)) return false;
    if (now.step % every != 0 || now.step == plan.steps) return true;
    trouble = dual.round(now.theta, problem);
    return trouble.has_value();
  };
  DPFERMI_TRY(solve(problem, oracle, batches, solver, state, observer, &workers));
  DPFERMI_TRY(std::move(trouble));
  const double distance = neighbour_distance(plan.adjacency);
  DPFERMI_ASSIGN(run.charge.statement.claimed_epsilon,
                 renyi_claim({{plan.q, run.noise_multiplier / distance, plan.steps},
                              {1, gap_noise(plan, options) / distance, options.rounds}},
                             plan.delta));
  DPFERMI_ASSIGN(
      BaselineResult result,
      finish_baseline(plan, state, solver, std::move(run.charge.statement), watch.seconds()));
  result.training.released_shares = dual.duals().group_shares();
  return result;
}

}  // namespace dpfermi
