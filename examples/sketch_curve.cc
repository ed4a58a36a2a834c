// One sketch, many models: releases a private fairness sketch of a data set once per split, then
// trains a model for every lambda (or every target) from it, at no further cost. Prints error and
// violation over splits. With s itself in the place of the proxy: --exact, not private. With
// residual queries (--rounds) every model has its own sketch and budget. docs/sketch.md
// holds the output.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iterator>

#include "core/stopwatch.h"
#include "data/registry.h"
#include "data/table_reader.h"
#include "dpfermi/core/workers.h"
#include "dpfermi/evaluate/metrics.h"
#include "experiment/frontier.h"
#include "experiment/run_record.h"
#include "optimize/training.h"
#include "privacy/research_ledger.h"
#include "sketch/max_entropy.h"
#include "sketch/proxy_training.h"
#include "sketch/sketch.h"
#include "workflow/load.h"

namespace dpfermi::examples {
namespace {

struct Request {
  std::string folder;
  std::string dataset = "adult";
  std::string fairness = "dp";
  std::string features = "encoded";
  double epsilon = 0.5;
  bool exact = false;
  std::uint64_t splits = 5;
  std::vector<double> lambdas{0,   0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1,  1.25,
                              1.5, 1.75, 2,   2.5, 3,   4,    5,   7,   10, 15};
  std::vector<double> targets;  ///< instead of lambdas
  std::vector<std::size_t> hidden;
  std::uint32_t batch = 0;            ///< 0: all rows at once
  std::optional<std::size_t> rounds;  ///< of residual queries
  std::optional<double> share;        ///< of the budget, for them
  std::vector<double> taus;
  unsigned threads = 1;
};

struct ModelPoint {
  double error, gap, train_gap, proxy_gap;
};

struct SplitOutcome {
  std::vector<ModelPoint> points;
  double sketch_seconds = 0;
  double curve_seconds = 0;
  std::size_t evaluations = 0;
  std::size_t held = 0;  ///< intervals that hold the violation on training rows
  double width = 0;      ///< of the intervals together
};

struct Sides {
  Dataset train;
  Dataset test;
  std::size_t favourable = 0;
};

Result<Table> read_honest(const Request& request) {
  DPFERMI_ASSIGN(const DatasetDescriptor dataset, find_dataset(request.dataset));
  DPFERMI_ASSIGN(const auto path, locate_dataset(dataset, data_folders(request.folder)));
  DPFERMI_ASSIGN(const DatasetVariant variant, dataset.variant("honest"));
  return read_table(table_request(variant, path));
}

Result<Sides> encode(const Table& table, const Split& split) {
  DPFERMI_ASSIGN(EncodedSplit encoded, encode_split(table, split));
  return Sides{std::move(encoded.train), encoded.test.value(), table.labels.positive};
}

struct Judgement {
  double error, gap;
};

Result<Judgement> judge_on(const Dataset& data, std::size_t favourable, FairnessNotion notion,
                           const Network& network, std::span<const double> theta,
                           const DecisionRule& rule = {}) {
  DPFERMI_ASSIGN(const Metrics metrics,
                 rule_metrics(rule, network.spec(), theta, data, favourable, Draws::kExpected));
  if (!metrics.fairness) return failed("the data set has no protected groups; choose another");
  return Judgement{metrics.error, violation_of(metrics, notion)};
}

/// s itself, as probabilities. Exact, not private.
std::vector<float> exact_groups(const Dataset& data) {
  const std::vector<std::uint16_t>& s = ExactForHolder::read(data.s);
  std::vector<float> groups(data.rows() * data.groups);
  for (std::size_t i = 0; i < s.size(); ++i) groups[i * data.groups + s[i]] = 1;
  return groups;
}

Result<std::vector<float>> proxy_of(const Request& request, const Sides& data,
                                    FairnessNotion notion, std::uint64_t seed) {
  if (request.exact) return exact_groups(data.train);
  FeatureMapSpec spec;
  DPFERMI_ASSIGN(spec.kind, parse_feature_kind(request.features));
  DPFERMI_ASSIGN(const SketchFeatures features, SketchFeatures::create(data.train, spec));
  SketchRequest wanted;
  wanted.notion = notion;
  wanted.epsilon = request.epsilon;
  DPFERMI_ASSIGN(const SketchPlan plan, plan_sketch(wanted, data.train, data.favourable, features));
  ResearchLedger ledger;
  DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(seed));
  DPFERMI_ASSIGN(Sketch sketch, make_sketch(data.train, features, plan, ledger, std::move(noise)));
  MaxEntropy family(data.train, features, sketch.setting, std::move(sketch.sums));
  return family.fit();
}

/// The largest difference of two groups' rates (m x k x l).
double widest(std::span<const double> rates, std::size_t groups, std::size_t classes) {
  double gap = 0;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const std::size_t group = i / classes % groups;
    for (std::size_t r = 0; r < group; ++r) {
      gap = std::max(gap, std::abs(rates[i] - rates[i - (group - r) * classes]));
    }
  }
  return gap;
}

/// Models with residual queries, each on a separate budget.
Result<SplitOutcome> run_corrected(const Request& request, const Sides& data, FairnessNotion notion,
                                   std::uint64_t seed) {
  SplitOutcome outcome;
  const Stopwatch watch;
  const bool by_target = !request.targets.empty();
  TrainingRequest wanted;
  wanted.method = Method::kSketch;
  wanted.notion = notion;
  wanted.epsilon = request.epsilon;
  wanted.hidden = request.hidden;
  wanted.residual_rounds = request.rounds;
  wanted.residual_share = request.share;
  for (const double goal : by_target ? request.targets : request.lambdas) {
    (by_target ? wanted.max_violation : wanted.lambda) = goal;
    DPFERMI_ASSIGN(const TrainingPlan plan, plan_training(wanted, data.train, data.favourable));
    ResearchLedger ledger;
    DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(seed));
    DPFERMI_ASSIGN(const TrainingResult result, train(data.train, plan, ledger, std::move(noise)));
    outcome.evaluations += result.steps;
    const Network network(plan.model);
    DPFERMI_ASSIGN(const Judgement test, judge_on(data.test, data.favourable, notion, network,
                                                  result.theta, result.rule));
    DPFERMI_ASSIGN(const Judgement own, judge_on(data.train, data.favourable, notion, network,
                                                 result.theta, result.rule));
    outcome.points.push_back(
        {test.error, test.gap, own.gap,
         widest(result.released_rates, data.train.groups, data.train.classes)});
    const bool held = result.violation->low <= own.gap && own.gap <= result.violation->high;
    outcome.held += held ? 1 : 0;
    outcome.width += result.violation->high - result.violation->low;
  }
  outcome.curve_seconds = watch.seconds();
  return outcome;
}

Result<SplitOutcome> run_split(const Request& request, const Table& table, FairnessNotion notion,
                               std::uint64_t seed) {
  DPFERMI_ASSIGN(const Split split, split_table(table, {}, {0.25, seed}));
  DPFERMI_ASSIGN(const Sides data, encode(table, split));
  if (request.rounds) return run_corrected(request, data, notion, seed);
  SplitOutcome outcome;
  Stopwatch watch;
  DPFERMI_ASSIGN(std::vector<float> proxy, proxy_of(request, data, notion, seed));
  outcome.sketch_seconds = watch.seconds();
  watch = Stopwatch();
  const Network network({data.train.x.columns(), data.train.classes, request.hidden});
  ProxyObjective objective(data.train, network,
                           {notion, data.train.groups, data.train.classes, data.favourable},
                           std::move(proxy));
  ProxyTraining options;
  options.taus = request.taus;
  DPFERMI_ASSIGN(NoiseSource random, make_noise_source(seed));
  std::optional<ShuffleSampler> batches;
  if (request.batch > 0) {
    DPFERMI_ASSIGN(NoiseLane lane, random.open(Purpose::kPublicBatch));
    const auto rows = static_cast<std::uint32_t>(data.train.rows());
    DPFERMI_ASSIGN(batches, ShuffleSampler::create(rows, request.batch, std::move(lane)));
    options.batches = &*batches;
  }
  DPFERMI_ASSIGN(NoiseLane lane, random.open(Purpose::kInitialValues));
  DPFERMI_ASSIGN(std::vector<double> theta,
                 InitialParameters::draw(network.spec(), std::move(lane)));
  const bool by_target = !request.targets.empty();
  for (const double goal : by_target ? request.targets : request.lambdas) {
    DPFERMI_ASSIGN(const ProxyFit fit, by_target ? fit_to_target(objective, theta, goal, options)
                                                 : fit_model(objective, theta, goal, options));
    theta = fit.theta;
    outcome.evaluations += fit.evaluations;
    DPFERMI_ASSIGN(const Judgement test,
                   judge_on(data.test, data.favourable, notion, network, theta));
    DPFERMI_ASSIGN(const Judgement train,
                   judge_on(data.train, data.favourable, notion, network, theta));
    outcome.points.push_back({test.error, test.gap, train.gap, fit.violation});
  }
  outcome.curve_seconds = watch.seconds();
  return outcome;
}

Status run(const Request& request) {
  DPFERMI_ASSIGN(const FairnessNotion notion, parse_fairness_notion(request.fairness));
  DPFERMI_ASSIGN(const Table table, read_honest(request));
  std::vector<Result<SplitOutcome>> outcomes(request.splits);
  Workers workers(request.threads);
  workers.run(request.splits, [&](std::size_t i, unsigned) {
    outcomes[i] = run_split(request, table, notion, 1 + i);
  });
  std::vector<double> sketch_seconds;
  std::vector<double> curve_seconds;
  std::vector<double> evaluations;
  for (const Result<SplitOutcome>& outcome : outcomes) {
    if (!outcome) return tl::unexpected(outcome.error());
    sketch_seconds.push_back(outcome->sketch_seconds);
    curve_seconds.push_back(outcome->curve_seconds);
    evaluations.push_back(static_cast<double>(outcome->evaluations));
  }
  fmt::print("{}, {}, {}, {} splits\n\n", request.dataset, to_string(notion),
             request.exact
                 ? "s read exactly (not private)"
                 : fmt::format("epsilon {}, {} features", request.epsilon, request.features),
             request.splits);
  fmt::print(
      "| {} | test error | test gap | train gap | gap by the proxy |\n|---|---|---|---|---|\n",
      request.targets.empty() ? "λ" : "target");
  const std::vector<double>& goals = request.targets.empty() ? request.lambdas : request.targets;
  for (std::size_t j = 0; j < goals.size(); ++j) {
    std::vector<double> columns[4];
    for (const Result<SplitOutcome>& outcome : outcomes) {
      const ModelPoint& point = outcome->points[j];
      columns[0].push_back(point.error);
      columns[1].push_back(point.gap);
      columns[2].push_back(point.train_gap);
      columns[3].push_back(point.proxy_gap);
    }
    const Estimate error = estimate(columns[0]);
    const Estimate gap = estimate(columns[1]);
    fmt::print("| {:g} | {:.4f} ± {:.4f} | {:.4f} ± {:.4f} | {:.4f} | {:.4f} |\n", goals[j],
               error.mean, error.error, gap.mean, gap.error, estimate(columns[2]).mean,
               estimate(columns[3]).mean);
  }
  fmt::print("\nsketch and proxy {:.2f} s, {} models {:.2f} s ({:.0f} evaluations)\n",
             estimate(sketch_seconds).mean, goals.size(), estimate(curve_seconds).mean,
             estimate(evaluations).mean);
  if (request.rounds) {
    std::size_t held = 0;
    double width = 0;
    for (const Result<SplitOutcome>& outcome : outcomes) {
      held += outcome->held;
      width += outcome->width;
    }
    const std::size_t models = goals.size() * request.splits;
    fmt::print("{} of {} intervals hold the violation on training rows; mean width {:.4f}\n", held,
               models, width / static_cast<double>(models));
  }
  return {};
}

}  // namespace
}  // namespace dpfermi::examples

int main(int argc, char** argv) {
  dpfermi::examples::Request request;
  CLI::App app("Models from a private fairness sketch, over splits");
  app.add_option("--data", request.folder, "Folder of the data sets (default: $DPFERMI_DATA)");
  app.add_option("--dataset", request.dataset, "Its name")->capture_default_str();
  app.add_option("--fairness", request.fairness, "dp, eo or eopp")->capture_default_str();
  app.add_option("--features", request.features, "encoded, interactions or fourier")
      ->capture_default_str();
  app.add_option("--epsilon", request.epsilon, "Of the sketch")->capture_default_str();
  app.add_flag("--exact", request.exact, "s itself instead of a sketch; not private");
  app.add_option("--splits", request.splits, "Random splits, 75/25")->capture_default_str();
  app.add_option("--lambdas", request.lambdas, "Weights of psi")->delimiter(',');
  app.add_option("--targets", request.targets, "Largest violations, instead of weights")
      ->delimiter(',');
  app.add_option("--rounds", request.rounds,
                 "Residual queries of every model, on a separate budget");
  app.add_option("--share", request.share, "Of the budget, for residual queries");
  app.add_option("--hidden", request.hidden, "Widths of hidden layers")->delimiter(',');
  app.add_option("--batch", request.batch, "Rows of a batch (default: all at once)");
  app.add_option("--taus", request.taus, "Stages of sharpness")->delimiter(',');
  app.add_option("--threads", request.threads, "Splits side by side")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const dpfermi::Status status = dpfermi::examples::run(request);
  if (status) return 0;
  fmt::print(stderr, "sketch_curve: {}\n", status.error().message);
  return static_cast<int>(status.error().kind);
}
