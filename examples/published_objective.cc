// What the published DP-FERMI curves are. --reproduce trains the authors' released objective on
// their file and split and puts the result beside the means that they published; --compare puts the
// same objective, not private, beside dp-fermi, private, on honest splits, at equal violation.
// docs/published-objective.md holds the output.

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "dpfermi/baselines/published_code.h"
#include "dpfermi/baselines/published_split.h"
#include "dpfermi/core/workers.h"
#include "dpfermi/data/registry.h"
#include "dpfermi/evaluate/metrics.h"
#include "dpfermi/model/network.h"
#include "dpfermi/preprocess/pipeline.h"
#include "dpfermi/privacy/research_ledger.h"
#include "estimate.h"
#include "trade_off.h"

namespace dpfermi::examples {
namespace {

constexpr double kErrorTolerance = 0.001;
constexpr double kGapTolerance = 0.003;

/// Means of the authors' result files for demographic parity without privacy.
struct PublishedPoint {
  const char* dataset;
  double lambda;
  Point point;
};
constexpr PublishedPoint kPublished[] = {
    {"adult", 0, {.19801, .15551}},          {"adult", 0.25, {.13993, .15759}},
    {"adult", 0.5, {.08945, .16478}},        {"adult", 0.75, {.04167, .17643}},
    {"adult", 1, {.00547, .18693}},          {"credit-card", 0, {.02132, .18970}},
    {"credit-card", 0.25, {.01757, .19005}}, {"credit-card", 0.5, {.01388, .18982}},
    {"credit-card", 1, {.01232, .19380}},    {"credit-card", 1.5, {.00684, .19668}},
    {"credit-card", 2, {.00574, .19979}},
};

struct Request {
  std::string folder;
  bool reproduce = false;
  std::string compare;
  std::uint64_t splits = 10;
  std::uint64_t seeds = 5;
  std::uint64_t seed = 1;
  double epsilon = 1;
  std::vector<double> lambdas{0, 1, 3, 10, 20, 40, 70, 100, 200};
  std::vector<double> published_lambdas{0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2, 2.5};
  std::vector<double> levels;
  unsigned threads = 1;
};

struct Sides {
  Dataset train;
  Dataset test;
  std::size_t favourable = 0;
};

Result<Table> read_variant(const Request& request, const std::string& name,
                           const std::string& protocol) {
  DPFERMI_ASSIGN(const DatasetDescriptor dataset, find_dataset(name));
  DPFERMI_ASSIGN(const auto path, locate_dataset(dataset, data_folders(request.folder)));
  DPFERMI_ASSIGN(const DatasetVariant variant, dataset.variant(protocol));
  return read_table(table_request(variant, path));
}

Result<Sides> encode(const Table& table, const Split& split) {
  DPFERMI_ASSIGN(const Pipeline pipeline, Pipeline::fit(table, split.train));
  DPFERMI_ASSIGN(EncodedDataset train, pipeline.apply(table, split.train));
  DPFERMI_ASSIGN(EncodedDataset test, pipeline.apply(table, split.test));
  return Sides{std::move(train.data), std::move(test.data), table.labels.positive};
}

Result<NoiseSource> noise_of(std::uint64_t seed) {
  DPFERMI_ASSIGN(ReproducibleSeed key, ReproducibleSeed::from_number(seed));
  return NoiseSource(std::move(key));
}

/// On the test rows, exact.
Result<Point> judge(const Sides& data, FairnessNotion notion, std::span<const double> theta) {
  const Network network({data.test.x.columns(), 2, {}});
  DPFERMI_ASSIGN(const Metrics metrics,
                 exact_metrics(predict(network, theta, data.test.x), data.test, data.favourable));
  if (!metrics.fairness) return failed("the data set has no protected groups; choose another");
  const PerNotion& violation = metrics.fairness->violation;
  return Point{notion == FairnessNotion::kEqualizedOdds ? violation.equalized_odds
                                                        : violation.demographic_parity,
               metrics.error};
}

/// One run of a method.
struct Job {
  const Sides* data;
  FairnessNotion notion;
  double lambda;
  std::uint64_t seed;
  std::optional<std::uint16_t> group;  ///< of the published objective
};

Result<Point> run_published(const Job& job) {
  DPFERMI_ASSIGN(NoiseSource noise, noise_of(job.seed));
  const PublishedOptions options{.notion = job.notion, .lambda = job.lambda, .group = job.group};
  DPFERMI_ASSIGN(const TrainingResult result,
                 published_code(job.data->train, options, std::move(noise)));
  return judge(*job.data, job.notion, result.theta);
}

Result<Point> run_private(const Job& job, double epsilon) {
  DPFERMI_ASSIGN(NoiseSource noise, noise_of(job.seed));
  const TrainingRequest request{
      .method = Method::kDpFermi, .notion = job.notion, .epsilon = epsilon, .lambda = job.lambda};
  DPFERMI_ASSIGN(const TrainingPlan plan,
                 plan_training(request, job.data->train, job.data->favourable));
  ResearchLedger ledger;
  DPFERMI_ASSIGN(const TrainingResult result,
                 train(job.data->train, plan, ledger, std::move(noise)));
  return judge(*job.data, job.notion, result.theta);
}

/// All jobs, on the request's threads; results in the order of the jobs.
template <class Run>
Result<std::vector<Point>> run_all(const Request& request, std::span<const Job> jobs,
                                   const Run& run) {
  std::vector<Result<Point>> results(jobs.size());
  Workers workers(request.threads);
  workers.run(jobs.size(), [&](std::size_t i, unsigned) { results[i] = run(jobs[i]); });
  std::vector<Point> points;
  for (Result<Point>& result : results) {
    DPFERMI_ASSIGN(const Point point, std::move(result));
    points.push_back(point);
  }
  return points;
}

Estimate over(std::span<const Point> points, double Point::*figure) {
  std::vector<double> values;
  for (const Point& point : points) values.push_back(point.*figure);
  return estimate(values);
}

Status reproduce(const Request& request, const std::string& name) {
  DPFERMI_ASSIGN(const Table table, read_variant(request, name, "as-published"));
  DPFERMI_ASSIGN(const Split split, published_split(static_cast<std::uint32_t>(table.rows)));
  DPFERMI_ASSIGN(const Sides data, encode(table, split));
  fmt::print(
      "### {}: as published, {} rows for training, {} for test, {} inputs\n\n"
      "| λ | error: published | re-created | difference | gap: published | re-created | "
      "difference |\n|---|---|---|---|---|---|---|\n",
      name, data.train.rows(), data.test.rows(), data.train.x.columns());
  bool close = true;
  for (const PublishedPoint& target : kPublished) {
    if (target.dataset != name) continue;
    std::vector<Job> jobs;
    for (std::uint64_t seed = 0; seed < request.seeds; ++seed) {
      jobs.push_back(
          {&data, FairnessNotion::kDemographicParity, target.lambda, request.seed + seed, {}});
    }
    DPFERMI_ASSIGN(const std::vector<Point> points, run_all(request, jobs, run_published));
    const double error = over(points, &Point::error).mean;
    const double gap = over(points, &Point::gap).mean;
    fmt::print("| {} | {:.4f} | {:.4f} | {:+.4f} | {:.4f} | {:.4f} | {:+.4f} |\n", target.lambda,
               target.point.error, error, error - target.point.error, target.point.gap, gap,
               gap - target.point.gap);
    close = close && std::abs(error - target.point.error) <= kErrorTolerance &&
            std::abs(gap - target.point.gap) <= kGapTolerance;
  }
  fmt::print("\n");
  if (close) return {};
  return failed(
      fmt::format("{}: a mean is further than {} (error) or {} (gap) from what was "
                  "published",
                  name, kErrorTolerance, kGapTolerance));
}

/// A method's points: lambda by lambda for each split.
struct Curve {
  std::vector<double> lambdas;
  std::vector<std::vector<Point>> by_split;

  std::vector<Point> means() const {
    std::vector<Point> points;
    for (std::size_t j = 0; j < lambdas.size(); ++j) {
      std::vector<Point> column;
      for (const auto& split : by_split) column.push_back(split[j]);
      points.push_back({over(column, &Point::gap).mean, over(column, &Point::error).mean});
    }
    return points;
  }
};

template <class Run>
Result<Curve> measure(const Request& request, const std::vector<Sides>& splits,
                      FairnessNotion notion, const std::vector<double>& lambdas, const Run& run) {
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    for (const double lambda : lambdas) {
      jobs.push_back({&splits[i], notion, lambda, request.seed + 1000 * i + jobs.size(), 0});
    }
  }
  DPFERMI_ASSIGN(const std::vector<Point> points, run_all(request, jobs, run));
  Curve curve{lambdas, {}};
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const auto start = points.begin() + static_cast<std::ptrdiff_t>(i * lambdas.size());
    curve.by_split.emplace_back(start, start + static_cast<std::ptrdiff_t>(lambdas.size()));
  }
  return curve;
}

void print_curve(const std::string& method, const Curve& curve) {
  fmt::print("| {} | error | s.e. | gap | s.e. |\n|---|---|---|---|---|\n", method);
  for (std::size_t j = 0; j < curve.lambdas.size(); ++j) {
    std::vector<Point> column;
    for (const auto& split : curve.by_split) column.push_back(split[j]);
    const Estimate error = over(column, &Point::error);
    const Estimate gap = over(column, &Point::gap);
    fmt::print("| λ = {} | {:.4f} | {:.4f} | {:.4f} | {:.4f} |\n", curve.lambdas[j], error.mean,
               error.error, gap.mean, gap.error);
  }
  fmt::print("\n");
}

/// Five levels that the mean curves of both reach.
std::vector<double> common_levels(const Curve& a, const Curve& b) {
  const auto [low_a, high_a] = std::ranges::minmax(a.means(), {}, &Point::gap);
  const auto [low_b, high_b] = std::ranges::minmax(b.means(), {}, &Point::gap);
  const double low = std::max(low_a.gap, low_b.gap);
  const double high = std::min(high_a.gap, high_b.gap);
  std::vector<double> levels;
  for (int i = 0; i < 5; ++i) {
    levels.push_back(std::ceil(1000 * (low + (high - low) * i / 4)) / 1000);
  }
  return levels;
}

/// The error of `ours` minus that of `theirs`, split by split, at a violation of `level`: of the
/// mixtures that have it on average over all splits, and of each split's own.
void print_level(double level, const Curve& ours, const Curve& theirs) {
  const auto mixed = mixture_at(ours.means(), level);
  const auto their_mixed = mixture_at(theirs.means(), level);
  std::vector<double> paired;
  std::vector<double> own;
  for (std::size_t i = 0; i < ours.by_split.size(); ++i) {
    const auto& mine = ours.by_split[i];
    const auto& other = theirs.by_split[i];
    if (mixed && their_mixed) paired.push_back(mixed->error(mine) - their_mixed->error(other));
    const auto own_mixed = mixture_at(mine, level);
    const auto own_theirs = mixture_at(other, level);
    if (own_mixed && own_theirs) own.push_back(own_mixed->error(mine) - own_theirs->error(other));
  }
  const auto text = [](std::span<const double> values) {
    if (values.empty()) return std::string("not reached by both");
    const Estimate difference = estimate(values);
    return fmt::format("{:+.4f} ± {:.4f} ({})", difference.mean, difference.error, values.size());
  };
  fmt::print("| {:.3f} | {} | {} |\n", level, text(paired), text(own));
}

Status compare(const Request& request, FairnessNotion notion, const std::vector<Sides>& splits) {
  DPFERMI_ASSIGN(const Curve theirs,
                 measure(request, splits, notion, request.published_lambdas, run_published));
  DPFERMI_ASSIGN(const Curve ours,
                 measure(request, splits, notion, request.lambdas,
                         [&](const Job& job) { return run_private(job, request.epsilon); }));
  fmt::print("### {}, {}\n\n", request.compare, to_string(notion));
  print_curve("published objective, not private", theirs);
  print_curve(fmt::format("dp-fermi, ε = {}, δ = 1/n²", request.epsilon), ours);
  fmt::print(
      "| violation | error of dp-fermi minus published, on mean curves | on each split's own "
      "frontier |\n|---|---|---|\n");
  const std::vector<double> levels =
      request.levels.empty() ? common_levels(ours, theirs) : request.levels;
  for (const double level : levels) print_level(level, ours, theirs);
  fmt::print("\n");
  return {};
}

Status compare_all(const Request& request) {
  DPFERMI_ASSIGN(const Table table, read_variant(request, request.compare, "honest"));
  const std::vector<std::uint32_t> blocks = split_blocks(table, {});
  std::vector<Sides> splits;
  for (std::uint64_t i = 0; i < request.splits; ++i) {
    DPFERMI_ASSIGN(const Split split, split_rows(blocks, 0.25, request.seed + i));
    DPFERMI_ASSIGN(Sides sides, encode(table, split));
    splits.push_back(std::move(sides));
  }
  for (const FairnessNotion notion :
       {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds}) {
    DPFERMI_TRY(compare(request, notion, splits));
  }
  return {};
}

Status run(const Request& request) {
  fmt::print("Figures on test rows are {}.\n\n", ExactForHolder::kLabel);
  if (request.reproduce) {
    DPFERMI_TRY(reproduce(request, "adult"));
    DPFERMI_TRY(reproduce(request, "credit-card"));
  }
  if (!request.compare.empty()) DPFERMI_TRY(compare_all(request));
  return {};
}

}  // namespace
}  // namespace dpfermi::examples

int main(int argc, char** argv) {
  dpfermi::examples::Request request;
  CLI::App app("The published DP-FERMI objective, re-created and compared", "published_objective");
  app.add_option("--data", request.folder, "folder of data sets (default: $DPFERMI_DATA)");
  auto* reproduce =
      app.add_flag("--reproduce", request.reproduce, "the published means, Adult and Credit");
  auto* compare = app.add_option("--compare", request.compare, "against dp-fermi, on a data set");
  app.add_option("--seeds", request.seeds, "runs of every re-created mean")
      ->check(CLI::Range(1, 1000));
  app.add_option("--splits", request.splits, "random 75/25 splits")->check(CLI::Range(1, 1000));
  app.add_option("--seed", request.seed, "first seed of splits, batches and noise");
  app.add_option("--epsilon", request.epsilon, "of dp-fermi")->check(CLI::PositiveNumber);
  app.add_option("--lambdas", request.lambdas, "of dp-fermi");
  app.add_option("--published-lambdas", request.published_lambdas, "of the published objective");
  app.add_option("--levels", request.levels, "violations to compare at");
  app.add_option("--threads", request.threads, "runs side by side")->check(CLI::Range(1, 256));
  CLI11_PARSE(app, argc, argv);
  if (reproduce->count() + compare->count() == 0) {
    fmt::print(stderr, "published_objective: nothing to do; use --reproduce or --compare\n");
    return 2;
  }
  const dpfermi::Status status = dpfermi::examples::run(request);
  if (!status) fmt::print(stderr, "published_objective: {}\n", status.error().message);
  return status ? 0 : static_cast<int>(status.error().kind);
}
