#pragma once

/// Data and single runs of the published_objective example. Two groups, two classes.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "dpfermi/baselines/published_code.h"
#include "dpfermi/data/registry.h"
#include "dpfermi/evaluate/metrics.h"
#include "dpfermi/model/network.h"
#include "dpfermi/preprocess/pipeline.h"
#include "dpfermi/privacy/research_ledger.h"
#include "trade_off.h"

namespace dpfermi::examples {

struct Sides {
  Dataset train;
  Dataset test;
  std::size_t favourable = 0;
};

inline Result<Table> read_variant(const std::string& folder, const std::string& name,
                                  const std::string& protocol) {
  DPFERMI_ASSIGN(const DatasetDescriptor dataset, find_dataset(name));
  DPFERMI_ASSIGN(const auto path, locate_dataset(dataset, data_folders(folder)));
  DPFERMI_ASSIGN(const DatasetVariant variant, dataset.variant(protocol));
  return read_table(table_request(variant, path));
}

inline Result<Sides> encode(const Table& table, const Split& split) {
  DPFERMI_ASSIGN(const Pipeline pipeline, Pipeline::fit(table, split.train));
  DPFERMI_ASSIGN(EncodedDataset train, pipeline.apply(table, split.train));
  DPFERMI_ASSIGN(EncodedDataset test, pipeline.apply(table, split.test));
  return Sides{std::move(train.data), std::move(test.data), table.labels.positive};
}

inline Result<NoiseSource> noise_of(std::uint64_t seed) {
  DPFERMI_ASSIGN(ReproducibleSeed key, ReproducibleSeed::from_number(seed));
  return NoiseSource(std::move(key));
}

struct Judgement {
  double error;
  FairnessMetrics fairness;
};

inline Result<Judgement> judge_on(const Dataset& data, std::size_t favourable,
                                  std::span<const double> theta) {
  const Network network({data.x.columns(), 2, {}});
  DPFERMI_ASSIGN(Metrics metrics, exact_metrics(predict(network, theta, data.x), data, favourable));
  if (!metrics.fairness) return failed("the data set has no protected groups; choose another");
  return Judgement{metrics.error, *std::move(metrics.fairness)};
}

inline double violation(const FairnessMetrics& fairness, FairnessNotion notion) {
  return notion == FairnessNotion::kEqualizedOdds ? fairness.violation.equalized_odds
                                                  : fairness.violation.demographic_parity;
}

/// Exact; on the test rows but for train_gap.
inline Result<Point> judge(const Sides& data, FairnessNotion notion,
                           std::span<const double> theta) {
  DPFERMI_ASSIGN(const Judgement train, judge_on(data.train, data.favourable, theta));
  DPFERMI_ASSIGN(const Judgement test, judge_on(data.test, data.favourable, theta));
  Point point{.gap = violation(test.fairness, notion),
              .error = test.error,
              .train_gap = violation(train.fairness, notion)};
  const GroupMetrics& a = test.fairness.groups[0];
  const GroupMetrics& b = test.fairness.groups[1];
  if (notion == FairnessNotion::kEqualizedOdds) {
    point.differences = {a.true_positive_rate.value_or(0) - b.true_positive_rate.value_or(0),
                         a.false_positive_rate.value_or(0) - b.false_positive_rate.value_or(0)};
  } else {
    point.differences[0] = a.rate[data.favourable] - b.rate[data.favourable];
  }
  return point;
}

/// One run of a method.
struct Job {
  const Sides* data;
  FairnessNotion notion;
  double lambda;
  std::uint64_t seed;
  std::optional<std::uint16_t> group;  ///< of the published objective
};

inline Result<Point> run_published(const Job& job) {
  DPFERMI_ASSIGN(NoiseSource noise, noise_of(job.seed));
  const PublishedOptions options{.notion = job.notion, .lambda = job.lambda, .group = job.group};
  DPFERMI_ASSIGN(const TrainingResult result,
                 published_code(job.data->train, options, std::move(noise)));
  return judge(*job.data, job.notion, result.theta);
}

inline Result<Point> run_private(const Job& job, double epsilon) {
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

}  // namespace dpfermi::examples
