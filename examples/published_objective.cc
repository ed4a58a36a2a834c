// What the published DP-FERMI curves are. --reproduce trains the authors' released objective on
// their file and split and puts the result beside the means that they published; --compare puts the
// same objective, not private, beside dp-fermi, private, on honest splits, at equal violation.
// docs/published-objective.md holds the output.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <functional>

#include "dpfermi/baselines/published_split.h"
#include "dpfermi/core/workers.h"
#include "estimate.h"
#include "published_runs.h"
#include "trade_off.h"

namespace dpfermi::examples {
namespace {

constexpr double kErrorTolerance = 0.001;
constexpr double kGapTolerance = 0.003;

/// Means of the authors' result files for demographic parity without privacy.
struct PublishedPoint {
  const char* dataset;
  double lambda, gap, error;
};
constexpr PublishedPoint kPublished[] = {
    {"adult", 0, .19801, .15551},          {"adult", 0.25, .13993, .15759},
    {"adult", 0.5, .08945, .16478},        {"adult", 0.75, .04167, .17643},
    {"adult", 1, .00547, .18693},          {"credit-card", 0, .02132, .18970},
    {"credit-card", 0.25, .01757, .19005}, {"credit-card", 0.5, .01388, .18982},
    {"credit-card", 1, .01232, .19380},    {"credit-card", 1.5, .00684, .19668},
    {"credit-card", 2, .00574, .19979},
};

struct Request {
  std::string folder;
  bool reproduce = false;
  std::string compare;
  std::uint64_t splits = 20;
  std::uint64_t seeds = 5;
  std::uint64_t seed = 1;
  double epsilon = 1;
  std::vector<double> lambdas{0, 3, 10, 20, 40, 70, 100, 150, 200};
  std::vector<double> published_lambdas{0, 0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2};
  unsigned threads = 1;
};

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
  DPFERMI_ASSIGN(const Table table, read_variant(request.folder, name, "as-published"));
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
               target.error, error, error - target.error, target.gap, gap, gap - target.gap);
    close = close && std::abs(error - target.error) <= kErrorTolerance &&
            std::abs(gap - target.gap) <= kGapTolerance;
  }
  fmt::print("\n");
  if (close) return {};
  return failed(
      fmt::format("{}: a mean is further than {} (error) or {} (gap) from what was "
                  "published",
                  name, kErrorTolerance, kGapTolerance));
}

/// The published objective sees the first declared group, men, as it did in its authors' runs: the
/// group of a split's first row would be the wrong one every other time.
template <class Run>
Result<Curve> measure(const Request& request, const std::vector<Sides>& splits,
                      FairnessNotion notion, const std::vector<double>& lambdas, const Run& run) {
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    for (const double lambda : lambdas) {
      jobs.push_back({&splits[i], notion, lambda, request.seed + i, 0});
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
  fmt::print(
      "| {} | error | s.e. | mean gap | s.e. | gap of mean rates | gap in training |\n"
      "|---|---|---|---|---|---|---|\n",
      method);
  const std::vector<Point> pooled = curve.pooled();
  for (std::size_t j = 0; j < curve.lambdas.size(); ++j) {
    const Estimate error = over(curve.column(j), &Point::error);
    const Estimate gap = over(curve.column(j), &Point::gap);
    fmt::print("| λ = {} | {:.4f} | {:.4f} | {:.4f} | {:.4f} | {:.4f} | {:.4f} |\n",
               curve.lambdas[j], error.mean, error.error, gap.mean, gap.error, pooled[j].gap,
               pooled[j].train_gap);
  }
  fmt::print("\n");
}

/// Mean, standard error, how many splits.
std::string difference_text(std::span<const double> values) {
  if (values.empty()) return "not reached by both";
  const Estimate difference = estimate(values);
  return fmt::format("{:+.4f} ± {:.4f} ({})", difference.mean, difference.error, values.size());
}

/// Errors of `ours` minus errors of `theirs`, split by split, of the mixtures that `ours_at` and
/// `theirs_at` give for a split; splits where one is missing are left out.
template <class MixtureOf>
std::vector<double> paired(const Curve& ours, const MixtureOf& ours_at, const Curve& theirs,
                           const MixtureOf& theirs_at) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < ours.by_split.size(); ++i) {
    const std::vector<Point>& mine = ours.by_split[i];
    const std::vector<Point>& other = theirs.by_split[i];
    const auto my_mixture = ours_at(mine);
    const auto other_mixture = theirs_at(other);
    if (!my_mixture || !other_mixture) continue;
    differences.push_back(my_mixture->error(mine) - other_mixture->error(other));
  }
  return differences;
}

using MeansOf = std::vector<Point> (Curve::*)() const;
using MixtureOf = std::function<std::optional<Mixture>(std::span<const Point>)>;

/// The same mixture in every split: the one that has the violation on average.
void print_on_means(const std::string& violation, const Curve& ours, const Curve& theirs,
                    MeansOf means_of) {
  constexpr int kLevels = 5;
  const std::vector<Point> mine = (ours.*means_of)();
  const std::vector<Point> other = (theirs.*means_of)();
  for (const double level : common_levels(mine, other, kLevels)) {
    const MixtureOf fixed = [&](auto) { return mixture_at(mine, level); };
    const MixtureOf other_fixed = [&](auto) { return mixture_at(other, level); };
    fmt::print("| {} | {:.4f} | {} |\n", violation, level,
               difference_text(paired(ours, fixed, theirs, other_fixed)));
  }
}

void print_comparison(const Curve& ours, const Curve& theirs) {
  fmt::print("| violation measured by | at | error of dp-fermi minus published |\n|---|---|---|\n");
  print_on_means("mean gap", ours, theirs, &Curve::means);
  print_on_means("gap of mean rates", ours, theirs, &Curve::pooled);
  print_on_means("gap in training", ours, theirs, &Curve::on_training_rows);
  for (const double level : {0.0025, 0.005, 0.01, 0.015, 0.02, 0.03}) {
    const MixtureOf own = [&](auto points) { return mixture_at(points, level); };
    fmt::print("| gap, each split's own frontier | {:.4f} | {} |\n", level,
               difference_text(paired(ours, own, theirs, own)));
  }
  fmt::print("\n");
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
  print_comparison(ours, theirs);
  return {};
}

Status compare_all(const Request& request) {
  DPFERMI_ASSIGN(const Table table, read_variant(request.folder, request.compare, "honest"));
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
