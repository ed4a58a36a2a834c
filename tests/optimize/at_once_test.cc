// Training without noise over all rows at once: the minimum is found with any number of inputs,
// targets are met with many groups and classes.

#include <gmock/gmock.h>

#include <algorithm>

#include "optimize/exact_runs.h"
#include "optimize/train_at_once.h"
#include "optimize/training_defaults.h"
#include "sketch/minimise.h"
#include "sketch/proxy_training.h"

namespace dpfermi {
namespace {

using testing_support::Judged;
using testing_support::many_groups;
using testing_support::train_and_judge;

/// 763 inputs, most of them rare levels of categories.
const Dataset& wide() {
  static const Dataset data =
      many_groups({.rows = 6000, .numbers = 3, .levels = {40, 520, 200}, .seed = 7});
  return data;
}

/// The error at the minimum of the loss, as far as L-BFGS can tell.
double converged_error() {
  const Network network({wide().x.columns(), 2, {}});
  ProxyObjective objective(wide(), network, {FairnessNotion::kNone, 2, 2, 1}, {});
  std::vector<double> theta(network.spec().parameter_count());
  const SmoothFunction loss = [&](std::span<const double> at, std::span<double> slope) {
    return objective.evaluate(at, 0, 1, slope);
  };
  EXPECT_TRUE(minimise(loss, theta, {20000, 1e-9, 0}).has_value());
  return objective.decisions(theta, 1).error;
}

TEST(AtOnce, ErmAndDpFermiConvergeWithManyInputs) {
  ASSERT_EQ(wide().x.columns(), 763U);
  const double converged = converged_error();
  EXPECT_NEAR(train_and_judge(wide(), {.method = Method::kErm}).error, converged, 0.001);
  EXPECT_NEAR(train_and_judge(wide(), {.method = Method::kFermi, .lambda = 0}).error, converged,
              0.001);
  EXPECT_NEAR(train_and_judge(wide(), {.method = Method::kDpFermi, .lambda = 0}).error, converged,
              0.001);
  EXPECT_NEAR(
      train_and_judge(wide(), {.method = Method::kDpFermi, .epsilon = 3, .lambda = 1e-4}).error,
      converged, 0.002);
  // By the default number of steps from zero it would be off by more.
  const double epochs = 1600 * std::round(6 * std::sqrt(6000.0)) / 6000;
  EXPECT_GT(train_and_judge(wide(), {.method = Method::kErm, .epochs = epochs}).error,
            converged + 0.004);
}

TEST(AtOnce, StepsAreMadeWhereTheyAreAskedFor) {
  const auto at_once = [](const TrainingRequest& request) {
    return plan_training(request, wide(), 1).value().at_once;
  };
  EXPECT_TRUE(at_once({.method = Method::kErm}));
  EXPECT_TRUE(at_once({.method = Method::kFermi}));
  EXPECT_TRUE(at_once({.method = Method::kDpFermi, .lambda = 0}));
  EXPECT_FALSE(at_once({.method = Method::kDpFermi, .lambda = 1}));
  EXPECT_FALSE(at_once({.method = Method::kErm, .hidden = {4}}));
  EXPECT_FALSE(at_once({.method = Method::kErm, .epochs = 3}));
  EXPECT_FALSE(at_once({.method = Method::kFermi, .batch = 64}));
}

TEST(AtOnce, FermiReachesTargets) {
  for (const auto& [k, l] : {std::pair<std::size_t, std::size_t>{2, 2}, {6, 2}, {3, 3}}) {
    const Dataset data = many_groups({.rows = 2000 * k, .groups = k, .classes = l, .seed = k + l});
    for (const FairnessNotion notion :
         {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds,
          FairnessNotion::kEqualOpportunity}) {
      const Judged free = train_and_judge(data, {.method = Method::kErm, .notion = notion});
      const Judged fair = train_and_judge(
          data, {.method = Method::kFermi, .notion = notion, .max_violation = 0.05});
      EXPECT_LE(fair.violation, 0.055) << k << " groups, " << l << " classes";
      EXPECT_LE(fair.error, free.line_at(fair.violation)) << k << " groups, " << l << " classes";
    }
  }
}

/// The least error of all classifiers of a table whose rows differ in one category alone, among
/// those whose demographic parity is violated by at most `target`: by trying them all.
double least_error(const Dataset& data, double target) {
  const std::vector<std::uint16_t>& s = ExactForHolder::read(data.s);
  const std::size_t levels = data.x.columns();
  std::vector<double> favours(levels * data.groups);
  std::vector<double> groups(data.groups);
  std::vector<double> cost(2 * levels);  // of deciding 0 and 1
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const std::size_t level = data.x.row(i).ones[0];
    favours[level * data.groups + s[i]] += 1;
    groups[s[i]] += 1;
    cost[2 * level + 1 - data.y[i]] += 1 / static_cast<double>(data.rows());
  }
  double least = 1;
  for (std::uint32_t chosen = 0; chosen < (1U << levels); ++chosen) {
    double error = 0;
    std::vector<double> rate(data.groups);
    for (std::size_t level = 0; level < levels; ++level) {
      const bool yes = (chosen >> level & 1U) != 0;
      error += cost[2 * level + (yes ? 1 : 0)];
      for (std::size_t r = 0; yes && r < rate.size(); ++r) {
        rate[r] += favours[level * rate.size() + r] / groups[r];
      }
    }
    const auto [low, high] = std::ranges::minmax(rate);
    if (high - low <= target) least = std::min(least, error);
  }
  return least;
}

TEST(AtOnce, FermiIsNearTheBestOfAllClassifiers) {
  // One number that is always 0 keeps the shape; twelve levels make 4,096 classifiers.
  Dataset data = many_groups({.rows = 12000, .groups = 3, .numbers = 1, .levels = {12}, .bias = 1});
  const Dataset drawn = data;
  data.x = HybridMatrix(drawn.rows(), 0, {12});
  for (std::size_t i = 0; i < drawn.rows(); ++i) {
    data.x.row(i).ones[0] = static_cast<std::uint16_t>(drawn.x.row(i).ones[0] - 1);
    const bool leaning = (data.x.row(i).ones[0] + ExactForHolder::read(drawn.s)[i]) % 3 == 0;
    if (leaning) data.y[i] = 1;
  }
  for (const double target : {0.02, 0.05, 0.1}) {
    const Judged fair = train_and_judge(data, {.method = Method::kFermi, .max_violation = target});
    EXPECT_LE(fair.violation, target + 0.005);
    EXPECT_LE(fair.error, least_error(data, target) + 0.01) << target;
  }
}

TEST(AtOnce, AnEmptyGroupChangesNothing) {
  const Dataset data = many_groups({});
  Dataset wider = data;
  wider.groups = 3;
  for (const TrainingRequest& request :
       {TrainingRequest{.method = Method::kFermi, .max_violation = 0.05},
        TrainingRequest{.method = Method::kFermi, .lambda = 1}}) {
    EXPECT_EQ(train_and_judge(data, request).theta, train_and_judge(wider, request).theta);
  }
}

TEST(AtOnce, IsTheSameOnAnyNumberOfThreads) {
  const TrainingRequest request{.method = Method::kFermi, .max_violation = 0.05};
  EXPECT_EQ(train_and_judge(wide(), request, 1).theta, train_and_judge(wide(), request, 3).theta);
}

TEST(AtOnce, IsNeverWorseThanTheBestConstant) {
  // The label is the group: whatever is fair says nothing about it.
  Dataset data = many_groups({.bias = 0});
  data.y = ExactForHolder::read(data.s);
  for (std::size_t i = 0; i < data.rows(); ++i) data.x.row(i).numbers[0] = data.y[i] == 1 ? 1 : -1;
  const Judged fair = train_and_judge(data, {.method = Method::kFermi, .max_violation = 0.005});
  EXPECT_LE(fair.error, fair.constant_error);
  EXPECT_LE(fair.violation, 0.01);
}

TEST(AtOnce, ARunEndsWhenTheCallerAsks) {
  const TrainingPlan plan =
      plan_training({.method = Method::kFermi, .max_violation = 0.02}, wide(), 1).value();
  ResearchLedger ledger;
  TrainingHooks hooks;
  std::uint64_t most = 0;
  hooks.progress = [&](const TrainingProgress& now) {
    most = std::max(most, now.step);
    EXPECT_LE(now.step, now.steps);
    return now.step < 7;
  };
  EXPECT_EQ(train(wide(), plan, ledger, testing_support::seeded_noise(1), hooks).value().steps, 7U);
  EXPECT_EQ(most, 7U);
}

}  // namespace
}  // namespace dpfermi
