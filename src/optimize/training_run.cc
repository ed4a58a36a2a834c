#include "optimize/training_run.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "core/mutant.h"
#include "dpfermi/sample/poisson_sampler.h"
#include "model/deep_network.h"
#include "model/network.h"
#include "sample/index_sampler.h"

namespace dpfermi {

bool tell_progress(const TrainingHooks& hooks, const TrainingPlan& plan, const SolverState& state,
                   double lambda) {
  return !hooks.progress || hooks.progress({state.step, plan.steps, lambda, state.theta});
}

std::string without_noise(Method method) {
  return fmt::format("training without noise ({})", to_string(method));
}

Result<ExactOpening> open_without_noise(const TrainingPlan& plan, StepLedger& ledger,
                                        Reproducibility noise) {
  ExactOpening opening;
  opening.statement.adjacency = plan.adjacency;
  opening.statement.noise = noise;
  if (reads_exactly(plan)) {
    DPFERMI_ASSIGN(ExactCharge charge,
                   charge_exact(ledger, plan.adjacency, without_noise(plan.method), noise));
    opening.statement.releases.push_back(std::move(charge.release));
    opening.read = charge.read;
  } else {
    opening.statement.cost = {0, 0};
    opening.statement.accountant = "nothing was released: s was never read";
  }
  return opening;
}

Status check_finite(std::span<const double> theta) {
  if (std::ranges::all_of(theta, [](double value) { return std::isfinite(value); })) return {};
  return failed("training diverged; use a smaller `theta_rate` or a smaller `lambda`");
}

Result<std::vector<double>> starting_parameters(const TrainingPlan& plan, NoiseSource& noise,
                                                const TrainingHooks& hooks) {
  if (plan.network_parameters > 0) return hooks.deep_network->start();
  if (!hooks.start.empty()) return hooks.start;
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kInitialValues));
  return InitialParameters::draw(plan.model, std::move(lane));
}

Result<SolverState> starting_state(const TrainingPlan& plan, std::vector<double> w,
                                   NoiseSource& noise, const TrainingHooks& hooks) {
  if (hooks.resume != nullptr) return hooks.resume->state;
  SolverState state;
  DPFERMI_ASSIGN(state.theta, starting_parameters(plan, noise, hooks));
  state.w = std::move(w);
  return state;
}

SolverOptions solver_options(const TrainingPlan& plan) {
  SolverOptions options;
  options.steps = plan.steps;
  options.theta_rate = [rate = plan.theta_rate](std::uint64_t) { return rate; };
  options.w_rate = [rate = plan.w_rate](std::uint64_t) { return rate; };
  options.dual = plan.dual;
  options.iterate = plan.iterate;
  options.random_iterate = plan.random_iterate;
  return options;
}

Result<PublicBatches> public_batches(const TrainingPlan& plan, const Dataset& data,
                                     NoiseSource& noise, std::uint64_t first) {
  if (mutant(Mutant::kPublicPartOnSecretBatch)) {
    DPFERMI_ASSIGN(NoiseLane secret, noise.open(Purpose::kSecretBatch));
    DPFERMI_ASSIGN(
        PoissonSampler drawn,
        PoissonSampler::create(plan.units, *SamplingRate::nearest(plan.q), std::move(secret)));
    auto twin = std::make_shared<PoissonSampler>(std::move(drawn));
    return PublicBatches([twin] {
      return twin->next_revealed().map(
          [](RevealedBatch batch) { return std::move(batch.members); });
    });
  }
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kPublicBatch));
  DPFERMI_ASSIGN(ShuffleSampler sampler,
                 ShuffleSampler::create(static_cast<std::uint32_t>(data.unit_count), plan.batch,
                                        std::move(lane)));
  sampler.skip(first);
  auto shared = std::make_shared<ShuffleSampler>(std::move(sampler));
  return PublicBatches([shared] { return shared->next(); });
}

Status draw_iterate(TrainingPlan& plan, NoiseSource& noise) {
  if (plan.iterate != IterateRule::kRandom || plan.random_iterate > 0) return {};
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kIterate));
  DPFERMI_ASSIGN(
      ShuffleSampler sampler,
      ShuffleSampler::create(static_cast<std::uint32_t>(plan.steps), 1, std::move(lane)));
  DPFERMI_ASSIGN(const std::vector<std::uint32_t> drawn, sampler.next());
  plan.random_iterate = 1 + std::uint64_t{drawn[0]};
  return {};
}

Status next_block(const TrainingHooks& hooks, const TrainingCheckpoint& checkpoint,
                  StepPermits& permits, Privatizer& privatizer) {
  DPFERMI_TRY(hooks.checkpoint(checkpoint));
  DPFERMI_ASSIGN(ReleasePermit permit, permits.from(checkpoint.state.step));
  return privatizer.renew(std::move(permit));
}

Result<TrainingResult> finish(const SolverState& state, const SolverOptions& options, double lambda,
                              double seconds, PrivacyStatement statement) {
  TrainingResult result;
  result.theta = chosen_iterate(state, options);
  DPFERMI_TRY(check_finite(result.theta));
  result.lambda = lambda;
  result.steps = state.step;
  result.statement = std::move(statement);
  result.seconds = seconds;
  return result;
}

}  // namespace dpfermi
