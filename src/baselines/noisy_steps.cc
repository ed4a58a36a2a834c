#include "baselines/noisy_steps.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/text.h"
#include "dpfermi/privacy/accountant/calibrate.h"
#include "dpfermi/privacy/accountant/price.h"
#include "optimize/training_defaults.h"
#include "optimize/training_run.h"
#include "privacy/mechanism/counts_privatizer.h"
#include "random/rounded_gaussian.h"

namespace dpfermi {
namespace {

Sampling step_sampling(const TrainingPlan& plan) {
  return {SamplingKind::kPoisson, plan.q, plan.q * plan.units};
}

}  // namespace

double feature_norm(const Dataset& data, const BaselineOptions& options) {
  if (options.declared_norm > 0) return options.declared_norm;
  return std::sqrt(1 + static_cast<double>(data.x.number_count() + data.x.category_count()));
}

Result<TrainingPlan> starting_plan(const Dataset& data, const BaselineOptions& options) {
  TrainingRequest request;
  request.method = Method::kErm;
  request.notion = FairnessNotion::kNone;
  request.adjacency = options.adjacency;
  request.hidden = options.hidden;
  request.tau = 1;
  request.declared_norm = feature_norm(data, options);
  DPFERMI_ASSIGN(TrainingPlan plan, plan_steps(request, data, options.favourable));
  plan.notion = options.notion;
  plan.delta = delta_of(options, data);
  return plan;
}

Result<CalibratedRun> charge_calibrated(const PartsOfNoise& parts, const BaselineOptions& options,
                                        double delta, double total_variation,
                                        const NoiseSource& noise, StepLedger& ledger) {
  const EventFamily family = [&](double z) -> Result<PrivacyEvent> {
    DPFERMI_ASSIGN(const std::vector<PlannedPart> planned, parts(z));
    return whole_event(planned);
  };
  // What is set aside for the sampler's precision makes the price a little higher than calibrated.
  for (double target = options.epsilon; target > 0.9 * options.epsilon; target *= 0.999) {
    DPFERMI_ASSIGN(const Calibrated found, calibrate_noise(family, target, delta));
    DPFERMI_ASSIGN(std::vector<PlannedPart> planned, parts(found.value));
    DPFERMI_ASSIGN(const JointPlan priced,
                   priced_plan({"training", planned}, delta, total_variation));
    if (priced.cost.epsilon > options.epsilon) continue;
    CalibratedRun run;
    run.noise_multiplier = found.value;
    DPFERMI_ASSIGN(run.charge,
                   charge_run(std::move(planned), options, delta, total_variation, noise, ledger));
    return run;
  }
  return failed("the budget of epsilon " + shortest(options.epsilon) +
                " cannot be met; use a larger epsilon or delta");
}

Result<OneRelease> charge_one_release(const std::string& purpose, const Segment& segment,
                                      std::size_t units, const BaselineOptions& options,
                                      double delta, NoiseSource& noise, StepLedger& ledger) {
  const Sampling everyone{SamplingKind::kEveryone, 1, static_cast<double>(units)};
  const PartsOfNoise parts = [&](double z) -> Result<std::vector<PlannedPart>> {
    DPFERMI_ASSIGN(PrivacyEvent event, gaussian_event(options.adjacency, everyone, z));
    return std::vector<PlannedPart>{{purpose, std::move(event), 1, 0}};
  };
  DPFERMI_ASSIGN(
      CalibratedRun run,
      charge_calibrated(parts, options, delta, noise_precision(1, segment.size), noise, ledger));
  DPFERMI_ASSIGN(ReleasePermit permit, ledger.claim(run.charge.plan, 0, 0, 1));
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kSketchNoise));
  const int bits = ContributionLayout::finest_lattice(run.noise_multiplier);
  DPFERMI_ASSIGN(ContributionLayout layout, ContributionLayout::create({segment}, bits));
  DPFERMI_ASSIGN(Privatizer mechanism,
                 Privatizer::create(std::move(layout), options.adjacency, run.noise_multiplier,
                                    std::move(permit), std::move(lane)));
  return OneRelease{std::move(mechanism), run.noise_multiplier, std::move(run.charge.statement)};
}

void plan_small_steps(std::uint64_t steps, std::uint32_t batch, TrainingPlan& plan) {
  plan.steps = steps;
  plan.batch = std::min(batch, plan.units);
  plan.q = SamplingRate::nearest(static_cast<double>(plan.batch) / plan.units)->value();
}

Result<std::vector<double>> release_group_sizes(const Dataset& data, const TrainingPlan& plan,
                                                ReleasePermit permit, NoiseSource& noise) {
  const FairnessSetting setting = fairness_setting(plan);
  const std::vector<std::uint32_t> condition = setting.condition_by_label();
  const UnitRows rows(data);
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kCountsNoise));
  DPFERMI_ASSIGN(CountsPrivatizer privatizer,
                 CountsPrivatizer::create(plan.adjacency, plan.counts_sigma, std::move(permit),
                                          std::move(lane)));
  const std::size_t cells = setting.conditions() * setting.groups;
  const auto cell_of = [&](const std::vector<std::uint16_t>& s, std::uint32_t unit) {
    const std::uint32_t row = rows.representative(unit);
    const std::size_t c = condition[data.y[row]];
    return c == setting.conditions() ? cells : c * setting.groups + s[row];
  };
  DPFERMI_ASSIGN(const NoisyCounts counts, privatizer.release(data.s, plan.units, cells, cell_of));
  const double floor = std::max(1.0, plan.counts_sigma);
  std::vector<double> sizes;
  for (const std::int64_t count : counts.values()) {
    sizes.push_back(std::max(static_cast<double>(count), floor) / plan.units);
  }
  return sizes;
}

Result<PlannedPart> step_part(const TrainingPlan& plan, double noise_multiplier) {
  DPFERMI_ASSIGN(PrivacyEvent event,
                 gaussian_event(plan.adjacency, step_sampling(plan), noise_multiplier));
  return PlannedPart{"training steps", std::move(event), plan.steps, 0};
}

double noise_precision(std::uint64_t releases, std::size_t entries) {
  return static_cast<double>(releases) * static_cast<double>(entries) *
         RoundedGaussian::kTotalVariation;
}

Result<PrivateOracle> step_oracle(const TrainingPlan& plan, const Dataset& data,
                                  std::vector<Segment> segments, double noise_multiplier,
                                  ReleasePermit permit, NoiseSource& noise) {
  DPFERMI_ASSIGN(ContributionLayout layout,
                 ContributionLayout::create(std::move(segments),
                                            ContributionLayout::finest_lattice(noise_multiplier)));
  DPFERMI_ASSIGN(NoiseLane noise_lane, noise.open(Purpose::kGradientNoise));
  DPFERMI_ASSIGN(Privatizer privatizer,
                 Privatizer::create(std::move(layout), plan.adjacency, noise_multiplier,
                                    std::move(permit), std::move(noise_lane)));
  DPFERMI_ASSIGN(const SamplingRate rate, SamplingRate::nearest(plan.q));
  DPFERMI_ASSIGN(NoiseLane batch_lane, noise.open(Purpose::kSecretBatch));
  DPFERMI_ASSIGN(PoissonSampler sampler,
                 PoissonSampler::create(static_cast<std::uint32_t>(data.unit_count), rate,
                                        std::move(batch_lane)));
  return PrivateOracle(std::move(sampler), std::move(privatizer));
}

double longest_step(const TrainingPlan& plan, double noise_multiplier, double scale) {
  // The plan's step size is 4 kRate over the mean square of [x, 1].
  const double square = 4 * defaults::kRate / plan.theta_rate;
  const double noise =
      scale * noise_multiplier * plan.clip_norm * std::sqrt(square) / (plan.q * plan.units);
  return defaults::kNoiseWalk / (noise * std::sqrt(static_cast<double>(plan.steps)));
}

SolverOptions averaging_solver(const TrainingPlan& plan, StepSize rate) {
  SolverOptions solver;
  solver.steps = plan.steps;
  solver.theta_rate = std::move(rate);
  solver.w_rate = [](std::uint64_t) { return 0.0; };
  solver.iterate = IterateRule::kAverage;
  return solver;
}

Result<TrainingResult> finish_baseline(const TrainingPlan& plan, const SolverState& state,
                                       const SolverOptions& solver, PrivacyStatement statement,
                                       double seconds) {
  DPFERMI_ASSIGN(TrainingResult result,
                 finish(state, solver, plan.lambda, seconds, std::move(statement)));
  result.model = plan.model;
  return result;
}

Result<TrainingResult> finish_regression(const Dataset& data, const BaselineOptions& options,
                                         std::vector<double> theta, PrivacyStatement statement,
                                         double seconds) {
  DPFERMI_TRY(check_finite(theta));
  TrainingResult result;
  result.model = {data.x.columns(), data.classes, {}};
  result.theta = std::move(theta);
  result.lambda = options.lambda;
  result.steps = 1;
  result.statement = std::move(statement);
  state_assumptions(options, result.statement);
  result.seconds = seconds;
  return result;
}

void state_assumptions(const BaselineOptions& options, PrivacyStatement& statement) {
  if (features_are_public(options.adjacency) || options.declared_norm > 0) return;
  statement.assumptions.emplace_back("means, scales and categories of the features");
}

}  // namespace dpfermi
