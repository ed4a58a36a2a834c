#pragma once

/// Small data sets and settings for whole runs of private baselines.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "dpfermi/evaluate/metrics.h"
#include "dpfermi/methods/registry.h"
#include "model/network.h"
#include "optimize/baseline.h"
#include "optimize/census_data.h"
#include "privacy/research_ledger.h"
#include "random/lane.h"

namespace dpfermi::testing_support {

inline const Dataset& small_census() {
  static const Dataset data = census_data({.rows = 1500});
  return data;
}

inline std::vector<double> waves(std::size_t size, double height = 0.3) {
  std::vector<double> values(size);
  for (std::size_t j = 0; j < size; ++j)
    values[j] = height * std::sin(1.0 + static_cast<double>(j));
  return values;
}

/// Column j of a row; the last one, for the bias, holds ones.
inline double entry(const Dataset& data, std::uint32_t row, std::size_t j) {
  return j == data.x.columns() ? 1 : data.x.at(row, j);
}

/// The slope of `value` at theta along entry j, by differences.
inline double slope(const std::function<double(std::span<const double>)>& value,
                    std::vector<double> theta, std::size_t j) {
  constexpr double kStep = 1e-5;
  theta[j] += kStep;
  const double above = value(theta);
  theta[j] -= 2 * kStep;
  return (above - value(theta)) / (2 * kStep);
}

/// F (l numbers) of a row, by plain loops.
inline std::vector<double> probabilities(const Dataset& data, std::uint32_t row,
                                         std::span<const double> theta, double tau) {
  const std::size_t outputs = data.classes == 2 ? 1 : data.classes;
  std::vector<double> logits(data.classes);
  for (std::size_t o = 0; o < outputs; ++o) {
    double v = theta[data.x.columns() * outputs + o];
    for (std::size_t j = 0; j < data.x.columns(); ++j) {
      v += theta[j * outputs + o] * data.x.at(row, j);
    }
    logits[outputs == 1 ? 1 : o] = tau * v;
  }
  double sum = 0;
  for (double& logit : logits) sum += logit = std::exp(logit);
  for (double& value : logits) value /= sum;
  return logits;
}

/// Trains with a fixed seed and says what it became.
inline TrainingResult run_baseline(const std::string& name, BaselineOptions options,
                                   std::uint64_t seed, const Dataset& data = small_census(),
                                   unsigned threads = 1) {
  const MethodDescriptor& baseline = find_method(name).value().descriptor();
  options.adjacency = *baseline.adjacencies.begin();
  ResearchLedger ledger;
  TrainingHooks hooks;
  hooks.threads = threads;
  Result<TrainingResult> result =
      train_baseline(baseline, data, options, ledger, seeded_noise(seed), hooks);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message);
  return std::move(result).value();
}

/// The violation of demographic parity by a model on these rows.
inline double parity_gap(const TrainingResult& result, const Dataset& data) {
  return exact_metrics(predict(Network(result.model), result.theta, data.x), data, 1)
      .value()
      .fairness->violation[FairnessNotion::kDemographicParity];
}

}  // namespace dpfermi::testing_support
