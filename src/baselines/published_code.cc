#include "baselines/published_code.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "baselines/published_problem.h"
#include "core/stopwatch.h"
#include "dpfermi/optimize/oracles.h"
#include "sample/index_sampler.h"

namespace dpfermi {
namespace {

Status check(const Dataset& data, const PublishedOptions& options) {
  if (options.notion != FairnessNotion::kDemographicParity &&
      options.notion != FairnessNotion::kEqualizedOdds) {
    return usage_error("published-code knows demographic-parity and equalized-odds, not " +
                       std::string(to_string(options.notion)));
  }
  if (data.classes != 2 || data.groups != 2) {
    return usage_error("published-code needs two classes and two groups; use fermi");
  }
  if (data.rows() == 0) return failed("there are no rows to train on; bring some");
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  if (!(options.lambda >= 0 && std::isfinite(options.lambda)) || !positive(options.theta_rate) ||
      !positive(options.w_rate) || !positive(options.w_radius)) {
    return usage_error("lambda must be a number >= 0, step sizes and the radius positive numbers");
  }
  if (options.epochs == 0 || options.batch == 0) {
    return usage_error("epochs and batch must be at least 1");
  }
  if (options.group && *options.group >= data.groups) {
    return usage_error("group " + std::to_string(*options.group) + " does not exist; use 0 or 1");
  }
  return {};
}

Result<TrainingResult> train_published(const Dataset& data, const BaselineOptions& given,
                                       const ExactRead& read, NoiseSource noise,
                                       const TrainingHooks& hooks) {
  PublishedOptions options;
  options.notion = given.notion;
  options.lambda = given.lambda;
  options.group = 0;
  DPFERMI_ASSIGN(TrainingResult result,
                 published_code(data, options, read, std::move(noise), hooks));
  result.model = {data.x.columns(), data.classes, {}};
  return result;
}

}  // namespace

extern const MethodDescriptor methods::published_code = {
    .name = "published-code",
    .origin = "released code of Lowy, Gupta and Razaviyayn 2023",
    .summary = "the objective of the authors’ released code, re-created; not private",
    .most_groups = 2,
    .notions = {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds},
    .knob = Knob::kWeight,
    .knob_meaning = "weight of the 1 x 1 fairness term",
    .parity_values = {0, 0.25, 0.5, 0.75, 1, 1.25, 1.5},
    .odds_values = {0, 0.0625, 0.125, 0.1875, 0.25, 0.375, 0.5},
    .minibatch = true,
    .train_exactly = train_published,
};

Result<TrainingResult> published_code(const Dataset& data, const PublishedOptions& options,
                                      const ExactRead& read, NoiseSource noise,
                                      const TrainingHooks& hooks) {
  DPFERMI_TRY(check(data, options));
  const std::uint16_t group = options.group.value_or(read.of(data.s)[0]);
  PublishedProblem problem(data, options.notion, group, options.lambda, options.w_radius, read);

  const auto rows = static_cast<std::uint32_t>(data.rows());
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kPublicBatch));
  DPFERMI_ASSIGN(ShuffleSampler sampler,
                 ShuffleSampler::create(rows, std::min(options.batch, rows), std::move(lane)));
  const PublicBatches batches = [&] { return sampler.next(); };

  SolverOptions solver;
  solver.steps = options.epochs * sampler.batches_per_epoch();
  solver.theta_rate = [&](std::uint64_t) { return options.theta_rate; };
  solver.w_rate = [&](std::uint64_t) { return options.w_rate; };
  SolverState state{.theta = std::vector<double>(problem.theta_size()),
                    .w = std::vector<double>(problem.w_size())};
  const StepWatcher observer = [&](const SolverState& now) {
    return !hooks.progress || hooks.progress({now.step, solver.steps, options.lambda, now.theta});
  };
  ExactOracle oracle(read);
  const Stopwatch watch;
  DPFERMI_TRY(solve(problem, oracle, batches, solver, state, observer));

  TrainingResult result;
  result.seconds = watch.seconds();
  result.theta = chosen_iterate(state, solver);
  if (!std::ranges::all_of(result.theta, [](double value) { return std::isfinite(value); })) {
    return failed("training diverged; use smaller step sizes or a smaller lambda");
  }
  result.lambda = options.lambda;
  result.steps = state.step;
  result.statement.noise = noise.reproducibility();
  return result;
}

}  // namespace dpfermi
