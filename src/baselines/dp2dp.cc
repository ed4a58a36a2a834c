#include "baselines/dp2dp.h"

#include <algorithm>
#include <cmath>

#include "baselines/claims.h"
#include "baselines/group_rule.h"
#include "baselines/noisy_steps.h"
#include "core/stopwatch.h"
#include "core/vector_math.h"
#include "model/network.h"
#include "optimize/training_run.h"
#include "privacy/accountant/gdp_accountant.h"
#include "privacy/mechanism/counts_privatizer.h"

namespace dpfermi {
namespace {

constexpr std::size_t kCounts = 0;  // parts of the charge
constexpr std::size_t kDualSteps = 1;

double sign_of(std::size_t group) {
  return group == 0 ? -1 : 1;
}

/// Minus the smoothed dual, for the solver: w = (lambda1, lambda2), theta is empty. A row of group
/// s adds s softmax(...) min(pi) / pi_s, of length at most 1; the mean of these over all rows is
/// min(pi) times the difference between the smoothed rates of the groups.
class DualProblem {
 public:
  /// `scores`: rows x classes; `shares`: pi, by group.
  DualProblem(const Dataset& data, std::vector<float> scores, std::vector<double> shares,
              const Dp2dpOptions& options)
      : data_(&data), scores_(std::move(scores)), shares_(std::move(shares)), options_(&options) {}

  std::size_t theta_size() const { return 0; }
  std::size_t w_size() const { return 2 * data_->classes; }

  void begin_step(std::span<const double>, std::span<const double> w) { difference_ = slopes(w); }
  void add_public(std::span<const std::uint32_t>, Gradients&, Workers*) const {}

  Result<ClippedSum> clipped_sum(const Privatizer& privatizer, Batch batch, Workers* workers) {
    const auto contribution = [this](const std::vector<std::uint16_t>& s, std::uint32_t row,
                                     std::span<double> out) { write(s[row], row, out); };
    return privatizer.sum(data_->s, std::move(batch), contribution, workers);
  }

  void add_released(const NoisySum& noisy, Gradients& gradients) {
    const std::size_t l = data_->classes;
    const double scale = 1 / (std::ranges::min(shares_) * noisy.expected_units());
    for (std::size_t k = 0; k < l; ++k) {
      const double gap = scale * noisy.segment(0)[k];
      gradients.w[k] += gap - options_->tolerance;
      gradients.w[l + k] += -gap - options_->tolerance;
    }
  }
  void project(std::span<double> w) const {
    for (double& lambda : w) lambda = std::clamp(lambda, 0.0, options_->largest);
  }

  /// The rule of these multipliers: what group r takes off the score of class k.
  std::vector<double> offsets(std::span<const double> w) const {
    const std::vector<double> difference = slopes(w);
    std::vector<double> offsets;
    for (std::size_t r = 0; r < shares_.size(); ++r) {
      for (const double slope : difference) offsets.push_back(sign_of(r) * slope / shares_[r]);
    }
    return offsets;
  }

 private:
  std::vector<double> slopes(std::span<const double> w) const {
    const std::size_t l = data_->classes;
    std::vector<double> slopes;
    for (std::size_t k = 0; k < l; ++k) slopes.push_back(w[k] - w[l + k]);
    return slopes;
  }

  void write(std::size_t group, std::uint32_t row, std::span<double> out) const {
    const std::size_t l = data_->classes;
    const double sign = sign_of(group);
    for (std::size_t k = 0; k < l; ++k) {
      const auto score = static_cast<double>(scores_[row * l + k]);
      out[k] = shares_[group] * score - sign * difference_[k];
    }
    const double most = std::ranges::max(out);
    double sum = 0;
    for (double& value : out) sum += value = std::exp((value - most) / options_->smoothing);
    const double scale = sign * std::ranges::min(shares_) / (shares_[group] * sum);
    for (double& value : out) value *= scale;
  }

  const Dataset* data_;
  std::vector<float> scores_;
  std::vector<double> shares_;
  const Dp2dpOptions* options_;
  std::vector<double> difference_;  ///< lambda1 - lambda2 of this step
};

Result<TrainingPlan> plan_of(const Dataset& data, const Dp2dpOptions& options) {
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  if (options.steps == 0 || options.batch == 0 || !positive(options.smoothing) ||
      !positive(options.largest) || !(options.counts_share > 0 && options.counts_share < 1)) {
    return usage_error("dp2dp needs positive steps, batch, smoothing and largest multiplier");
  }
  DPFERMI_TRY(refuse_persons(data, "dp2dp"));
  DPFERMI_ASSIGN(TrainingPlan plan, starting_plan(data, options));
  plan_small_steps(options.steps, options.batch, plan);
  const double mu = std::sqrt(options.counts_share) * gdp_mu_for(options.epsilon, plan.delta);
  plan.counts_sigma = std::sqrt(2.0) / mu;
  return plan;
}

}  // namespace

extern const MethodDescriptor methods::dp2dp = {
    .name = "dp2dp",
    .origin = "Say, Denis and Pinot 2025",
    .summary =
        "private and fair: thresholds by group for a plain model, from noisy steps on the "
        "dual; needs s to decide",
    .multi_class = true,
    .most_groups = 2,
    .notions = {FairnessNotion::kDemographicParity},
    .adjacencies = {Adjacency::kSensitive},
    .knob = Knob::kTolerance,
    .knob_meaning = "largest difference between two groups",
    .parity_values = {0, 0.02, 0.05, 0.1, 0.15},
    .minibatch = true,
    .takes_hidden = true,
    .needs_group = true,
    .claim = "Renyi divergences; of two group shares one is paid for",
    .train = with_defaults<Dp2dpOptions, dpfermi::dp2dp>,
};

Result<TrainingResult> dp2dp(const Dataset& data, const Dp2dpOptions& options, StepLedger& ledger,
                             NoiseSource noise, const TrainingHooks& hooks) {
  DPFERMI_ASSIGN(const TrainingPlan plan, plan_of(data, options));
  DPFERMI_ASSIGN(const PrivacyEvent counts, counts_event(plan.adjacency, plan.counts_sigma));
  const PartsOfNoise parts = [&](double z) -> Result<std::vector<PlannedPart>> {
    DPFERMI_ASSIGN(PlannedPart steps, step_part(plan, z));
    return std::vector<PlannedPart>{{"group sizes", counts, 1, 0}, std::move(steps)};
  };
  DPFERMI_ASSIGN(CalibratedRun run,
                 charge_calibrated(parts, options, plan.delta,
                                   noise_precision(plan.steps, data.classes), noise, ledger));
  DPFERMI_ASSIGN(ReleasePermit counts_permit, ledger.claim(run.charge.plan, kCounts, 0, 1));
  DPFERMI_ASSIGN(std::vector<double> shares,
                 release_group_sizes(data, plan, std::move(counts_permit), noise));
  DPFERMI_ASSIGN(ReleasePermit permit, ledger.claim(run.charge.plan, kDualSteps, 0, plan.steps));
  DPFERMI_ASSIGN(PrivateOracle oracle, step_oracle(plan, data, {{data.classes, 1}},
                                                   run.noise_multiplier, std::move(permit), noise));
  DPFERMI_ASSIGN(BaseModel base, train_base_model(data, options, std::move(noise), hooks));
  TrainingResult result = std::move(base.training);

  DualProblem problem(data, predict(Network(result.model), result.theta, data.x), std::move(shares),
                      options);
  SolverOptions solver;
  solver.steps = plan.steps;
  solver.theta_rate = [](std::uint64_t) { return 0.0; };
  solver.w_rate = [](std::uint64_t t) { return 1 / std::sqrt(static_cast<double>(t + 1)); };
  SolverState state{.w = std::vector<double>(problem.w_size())};
  Workers workers(hooks.threads);
  const StepWatcher observer = [&](const SolverState& now) {
    return tell_progress(hooks, plan, now, 0);
  };
  const Stopwatch watch;
  DPFERMI_TRY(solve(problem, oracle, {}, solver, state, observer, &workers));
  result.rule.group_offsets = problem.offsets(state.w);
  result.steps = plan.steps;
  result.statement = std::move(run.charge.statement);
  DPFERMI_ASSIGN(
      result.statement.claimed_epsilon,
      renyi_claim({{plan.q, run.noise_multiplier / neighbour_distance(plan.adjacency), plan.steps},
                   {1, plan.counts_sigma, 1}},
                  plan.delta));
  result.seconds += watch.seconds();
  return result;
}

}  // namespace dpfermi
