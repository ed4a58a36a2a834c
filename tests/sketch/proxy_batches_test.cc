// Models from batches of rows, and targets with several conditions.

#include <gtest/gtest.h>

#include <numeric>

#include "sketch/proxy_training.h"
#include "sketch/synthetic.h"

namespace dpfermi {
namespace {

using testing_support::one_hot;
using testing_support::seeded_noise;
using testing_support::synthetic;

ShuffleSampler batches_of(const Dataset& data, std::uint32_t size) {
  NoiseSource noise = seeded_noise(1);
  return ShuffleSampler::create(static_cast<std::uint32_t>(data.rows()), size,
                                noise.open(Purpose::kPublicBatch).value())
      .value();
}

std::vector<double> starting_theta(const Network& network) {
  NoiseSource noise = seeded_noise(1);
  return InitialParameters::draw(network.spec(), noise.open(Purpose::kInitialValues).value())
      .value();
}

TEST(ProxyBatches, TheirGradientsAverageToThatOfTheValue) {
  for (const FairnessNotion notion :
       {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds}) {
    const Dataset data = synthetic({1000, 3, 4, 3, 3});
    const Network network({data.x.columns(), 3, {5}});
    ProxyObjective objective(data, network, {notion, 3, 3, 1}, one_hot(data));
    std::vector<double> theta = starting_theta(network);
    for (std::size_t i = 0; i < theta.size(); ++i) theta[i] += 0.1 * std::sin(double(i));
    std::vector<double> whole(theta.size());
    objective.evaluate(theta, 2, 3, whole);
    // The table was filled elsewhere; after one epoch at theta it is theta's.
    objective.begin_batches(std::vector<double>(theta.size(), 0.1), 3);
    ShuffleSampler batches = batches_of(data, 250);
    std::vector<double> mean(theta.size());
    std::vector<double> part(theta.size());
    for (int step = 0; step < 8; ++step) {
      objective.batch_gradient(theta, 2, 3, batches.next().value(), part);
      if (step < 4) continue;
      for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += part[i] / 4;
    }
    for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_NEAR(mean[i], whole[i], 1e-10);
  }
}

TEST(ProxyBatches, ThreadsChangeNothing) {
  const Dataset data = synthetic({3000});
  const Network network({data.x.columns(), 2, {4}});
  Workers workers(3);
  std::vector<std::vector<double>> found;
  for (Workers* team : {static_cast<Workers*>(nullptr), &workers}) {
    ProxyObjective objective(data, network, {}, one_hot(data));
    ShuffleSampler batches = batches_of(data, 500);
    ProxyTraining options;
    options.batches = &batches;
    options.steps = 12;
    found.push_back(fit_model(objective, starting_theta(network), 1, options, team)->theta);
  }
  EXPECT_EQ(found[0], found[1]);
}

/// L-BFGS follows the training rows into their last noise; batches must go most of that way.
TEST(ProxyBatches, GetNearlyAsFarAsAllRowsAtOnce) {
  const Dataset data = synthetic({4000});
  const Network network({data.x.columns(), 2, {8}});
  ProxyObjective objective(data, network, {}, one_hot(data));
  const std::vector<double> start = starting_theta(network);
  std::vector<double> unused(start.size());
  const auto value = [&](const ProxyFit& fit) {
    return objective.evaluate(fit.theta, 1, 4, unused);
  };
  const double at_once = value(fit_model(objective, start, 1, {}).value());
  ShuffleSampler batches = batches_of(data, 512);
  ProxyTraining options;
  options.batches = &batches;
  const double by_batches = value(fit_model(objective, start, 1, options).value());
  const double before = value({start, 1, 0, 0});
  EXPECT_GT(before, at_once + 0.04);
  EXPECT_LT(by_batches, before - 0.75 * (before - at_once));
}

TEST(ProxyTraining, EveryConditionReachesTheTarget) {
  const Dataset data = synthetic({4000});
  const Network network({data.x.columns(), 2, {}});
  const FairnessSetting odds{FairnessNotion::kEqualizedOdds, 2, 2, 1};
  ProxyObjective objective(data, network, odds, one_hot(data));
  const std::vector<double> start(network.spec().parameter_count());
  std::vector<double> slope(start.size());
  const double psi_before = objective.evaluate(start, 1, 1, slope);
  const ProxyFit fair = fit_to_target(objective, start, 0.03, {}).value();
  EXPECT_LE(fair.violation, 0.03);
  EXPECT_GT(fair.lambda, 0);
  EXPECT_EQ(objective.violation(fair.theta), fair.violation);
  EXPECT_EQ(objective.evaluate(start, 1, 1, slope), psi_before);
  EXPECT_TRUE(fit_to_target(objective, start, 0, {}).has_value());
}

}  // namespace
}  // namespace dpfermi
