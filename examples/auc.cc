// Differentially private AUC maximisation: Algorithm 2 on a problem that has nothing to do with
// fairness. Whole records are protected (replace-record), so the bounds and categories of the
// inputs are declared (auc_data.h), the share of positive labels is released with noise, and all of
// it is charged in one plan.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>

#include "auc_data.h"
#include "auc_problem.h"
#include "dpfermi/optimize/oracles.h"
#include "dpfermi/privacy/accountant/calibrate.h"
#include "dpfermi/privacy/accountant/price.h"
#include "experiment/frontier.h"
#include "privacy/mechanism/counts_privatizer.h"
#include "privacy/research_ledger.h"
#include "random/rounded_gaussian.h"
#include "sample/index_sampler.h"

namespace dpfermi::examples {
namespace {

constexpr auto kAdjacency = Adjacency::kReplaceRecord;

// Chosen on the synthetic census.
constexpr double kRate = 0.1;  ///< q
constexpr std::uint64_t kSteps = 200;
constexpr double kCountsShare = 0.05;  ///< of epsilon, for the share of positive labels

/// theta after all steps. The curvature in theta is at most 6 p (1-p) <= 3/2 for x in the unit
/// ball, that in alpha 1/2: a rate of 1 is stable.
template <class Oracle>
Result<std::vector<double>> maximise(AucProblem& problem, Oracle& oracle,
                                     const PublicBatches& batches, std::uint64_t steps) {
  const auto rate = [](std::uint64_t) { return 1.0; };
  const SolverOptions options{
      .steps = steps, .theta_rate = rate, .w_rate = rate, .iterate = IterateRule::kAverage};
  SolverState state{.theta = std::vector<double>(problem.theta_size()), .w = {0}};
  DPFERMI_TRY(solve(problem, oracle, batches, options, state));
  return chosen_iterate(state, options);
}

/// Everything a private run releases, priced as one composition before any record is read.
struct Releases {
  JointPlan plan;
  double counts_sigma;
  double noise_multiplier;
};

Result<Releases> plan_releases(double epsilon, std::uint32_t rows, std::size_t columns,
                               bool seeded) {
  const double delta = 1 / (static_cast<double>(rows) * rows);
  const EventFamily counts = [](double sigma) { return counts_event(kAdjacency, sigma); };
  const EventFamily step = [](double z) {
    return PrivacyEvent::create(kAdjacency, PoissonGaussianRelease{kRate, z});
  };
  DPFERMI_ASSIGN(const SplitBudget budget,
                 split_budget(counts, step, kSteps, kCountsShare, 0.999 * epsilon, delta));
  DPFERMI_ASSIGN(const PrivacyEvent counts_once, counts(budget.first_noise));
  DPFERMI_ASSIGN(const PrivacyEvent one_step, step(budget.step_noise));
  JointPlan plan{"AUC maximisation",
                 {{"label counts", counts_once}, {"training steps", one_step, kSteps}}};
  plan.fixed_seed = seeded;
  const double draws = static_cast<double>(kSteps) * static_cast<double>(columns + 3);
  DPFERMI_ASSIGN(plan, priced_plan(plan, delta, draws * RoundedGaussian::kTotalVariation));
  return Releases{std::move(plan), budget.first_noise, budget.step_noise};
}

/// The share of positive labels, away from 0 and 1.
Result<double> released_share(const Sides& data, const Releases& releases, ReleasePermit permit,
                              NoiseLane lane) {
  DPFERMI_ASSIGN(CountsPrivatizer privatizer,
                 CountsPrivatizer::create(kAdjacency, releases.counts_sigma, std::move(permit),
                                          std::move(lane)));
  const auto cell_of = [&](const Dataset& rows, std::uint32_t row) {
    return rows.y[row] == data.positive ? 0U : 1U;
  };
  DPFERMI_ASSIGN(const NoisyCounts counts, privatizer.release(data.train, data.rows, 2, cell_of));
  return std::clamp(static_cast<double>(counts.values()[0]) / data.rows, 0.01, 0.99);
}

Result<double> private_auc(const Sides& data, const Releases& releases, NoiseSource noise) {
  ResearchLedger ledger;
  DPFERMI_ASSIGN(const std::uint64_t plan, ledger.plan(releases.plan));
  DPFERMI_ASSIGN(ReleasePermit counts, ledger.claim(plan, 0, 0, 1));
  DPFERMI_ASSIGN(NoiseLane counts_lane, noise.open(Purpose::kCountsNoise));
  DPFERMI_ASSIGN(const double p,
                 released_share(data, releases, std::move(counts), std::move(counts_lane)));

  AucProblem problem(data.train, data.score, data.positive, p);
  DPFERMI_ASSIGN(const auto layout, ContributionLayout::create(problem.segments()));
  DPFERMI_ASSIGN(ReleasePermit steps, ledger.claim(plan, 1, 0, kSteps));
  DPFERMI_ASSIGN(NoiseLane noise_lane, noise.open(Purpose::kGradientNoise));
  DPFERMI_ASSIGN(Privatizer privatizer,
                 Privatizer::create(layout, kAdjacency, releases.noise_multiplier, std::move(steps),
                                    std::move(noise_lane)));
  DPFERMI_ASSIGN(NoiseLane batch_lane, noise.open(Purpose::kSecretBatch));
  DPFERMI_ASSIGN(const SamplingRate rate, SamplingRate::nearest(kRate));
  DPFERMI_ASSIGN(PoissonSampler sampler,
                 PoissonSampler::create(data.rows, rate, std::move(batch_lane)));
  PrivateOracle oracle(std::move(sampler), std::move(privatizer));
  DPFERMI_ASSIGN(const auto theta, maximise(problem, oracle, {}, kSteps));
  return auc(data.test, data.score, data.positive, theta);
}

/// The same problem, its batches public and its sums exact.
Result<double> exact_auc(const Sides& data, NoiseSource noise) {
  ResearchLedger ledger;
  DPFERMI_ASSIGN(const ExactCharge charge,
                 charge_exact(ledger, kAdjacency, "AUC maximisation", noise.reproducibility()));
  const Dataset& rows = charge.read.of(data.train);
  const auto positives = std::ranges::count(rows.y, data.positive);
  AucProblem problem(data.train, data.score, data.positive,
                     static_cast<double>(positives) / data.rows);
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kPublicBatch));
  DPFERMI_ASSIGN(ShuffleSampler sampler,
                 ShuffleSampler::create(data.rows, data.rows / 10, std::move(lane)));
  const PublicBatches batches = [&] { return sampler.next(); };
  ExactOracle oracle(charge.read);
  DPFERMI_ASSIGN(const auto theta, maximise(problem, oracle, batches, 25 * kSteps));
  return auc(data.test, data.score, data.positive, theta);
}

struct Request {
  std::string folder;
  bool synthetic = false;
  std::uint64_t splits = 5;
  std::optional<std::uint64_t> seed;
};

/// Secret noise, or that of a seed, another for every run.
Result<NoiseSource> noise_of(const Request& request, std::uint64_t run) {
  std::optional<std::uint64_t> seed = request.seed;
  if (seed) *seed += run;
  return make_noise_source(seed);
}

Status run(const Request& request) {
  DPFERMI_ASSIGN(const Table table, example_table(request.folder, request.synthetic));
  std::vector<Sides> sides;
  for (std::uint64_t seed = 1; seed <= request.splits; ++seed) {
    DPFERMI_ASSIGN(Sides one, split(table, seed));
    sides.push_back(std::move(one));
  }
  fmt::print(
      "{} rows for training, {} inputs, {} splits; noise {}; adjacency {}\n\n"
      "| AUC on test rows ({}) | mean | s.e. |\n|---|---|---|\n",
      sides[0].rows, sides[0].score.columns(), sides.size(),
      to_string(request.seed ? Reproducibility::kReproducible : Reproducibility::kSecret),
      to_string(kAdjacency), ExactForHolder::kLabel);
  std::uint64_t runs = 0;
  const auto over_splits = [&](const std::string& method, const auto& measure) -> Status {
    std::vector<double> values;
    for (const Sides& data : sides) {
      DPFERMI_ASSIGN(NoiseSource noise, noise_of(request, runs++));
      DPFERMI_ASSIGN(const double value, measure(data, std::move(noise)));
      values.push_back(value);
    }
    const Estimate result = estimate(values);
    fmt::print("| {:<40} | {:.4f} | {:.4f} |\n", method, result.mean, result.error);
    return {};
  };
  for (const double epsilon : {0.5, 1.0, 3.0, 9.0}) {
    DPFERMI_ASSIGN(
        const Releases releases,
        plan_releases(epsilon, sides[0].rows, sides[0].score.columns(), request.seed.has_value()));
    const PrivacyCost& cost = releases.plan.cost;
    DPFERMI_TRY(over_splits(fmt::format("private, epsilon {:.3f}, delta {:.2g}",
                                        std::ceil(1e3 * cost.epsilon) / 1e3, cost.delta),
                            [&](const Sides& data, NoiseSource noise) {
                              return private_auc(data, releases, std::move(noise));
                            }));
  }
  DPFERMI_TRY(over_splits("not private, same problem", exact_auc));
  return over_splits(
      "not private, logistic regression",
      [](const Sides& data, const NoiseSource&) -> Result<double> { return logistic_auc(data); });
}

}  // namespace
}  // namespace dpfermi::examples

int main(int argc, char** argv) {
  dpfermi::examples::Request request;
  CLI::App app("Differentially private AUC maximisation", "auc");
  app.add_option("--data", request.folder, "folder of data sets (default: $DPFERMI_DATA)");
  app.add_flag("--synthetic", request.synthetic, "a synthetic census instead of Credit");
  app.add_option("--splits", request.splits, "random 75/25 splits")->check(CLI::Range(1, 1000));
  app.add_option("--seed", request.seed, "fixed noise: reproducible, not private");
  CLI11_PARSE(app, argc, argv);
  const dpfermi::Status status = dpfermi::examples::run(request);
  if (!status) fmt::print(stderr, "auc: {}\n", status.error().message);
  return status ? 0 : static_cast<int>(status.error().kind);
}
