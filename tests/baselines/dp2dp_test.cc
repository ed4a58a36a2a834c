// dp2dp: whole runs, and its price.

#include "baselines/dp2dp.h"

#include <gmock/gmock.h>

#include "baselines/baseline_data.h"
#include "dpfermi/evaluate/metrics.h"
#include "dpfermi/privacy/accountant/pld_accountant.h"

namespace dpfermi {
namespace {

using testing_support::census_data;
using testing_support::seeded_noise;
using testing_support::small_census;

TrainingResult run(const Dataset& data, Dp2dpOptions options) {
  options.adjacency = Adjacency::kSensitive;
  ResearchLedger ledger;
  auto result = dp2dp(data, options, ledger, seeded_noise(3));
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().message);
  return std::move(result).value();
}

double parity(const TrainingResult& result, const Dataset& data) {
  return rule_metrics(result.rule, result.model, result.theta, data, 1, Draws::kMade)
      .value()
      .fairness->violation[FairnessNotion::kDemographicParity];
}

/// Little noise, every row in a batch and many steps: the optimum, whose gap is the tolerance.
Dp2dpOptions nearly_exact(double tolerance) {
  Dp2dpOptions options;
  options.epsilon = 20;
  options.delta = 0.01;
  options.tolerance = tolerance;
  options.steps = 400;
  options.batch = 1500;
  return options;
}

TEST(Dp2dp, MeetsTheToleranceOnTheTrainingRowsWhereThereIsLittleNoise) {
  const Dataset& data = small_census();
  EXPECT_GT(parity(run(data, nearly_exact(0.9)), data), 0.05);  // the model as it is
  for (const double tolerance : {0.0, 0.03}) {
    EXPECT_NEAR(parity(run(data, nearly_exact(tolerance)), data), tolerance, 0.015) << tolerance;
  }
}

TEST(Dp2dp, TakesSeveralClasses) {
  const Dataset data = census_data({.rows = 1500, .classes = 3});
  const double as_it_is = parity(run(data, nearly_exact(0.9)), data);
  const TrainingResult fair = run(data, nearly_exact(0.02));
  EXPECT_GT(as_it_is, 0.05);
  EXPECT_LT(parity(fair, data), 0.04);
  EXPECT_EQ(fair.rule.group_offsets.size(), 6U);
  EXPECT_TRUE(fair.rule.needs_group());
}

TEST(Dp2dp, StatesThePriceOfCountsAndSteps) {
  Dp2dpOptions options;
  options.epsilon = 1;
  const PrivacyStatement statement = run(small_census(), options).statement;
  EXPECT_TRUE(check_statement(statement).has_value());
  EXPECT_LE(statement.cost->epsilon, 1);
  EXPECT_GT(statement.cost->epsilon, 0.99);
  ASSERT_EQ(statement.releases.size(), 2U);
  EXPECT_EQ(statement.releases[1].count, 100U);
  std::vector<PlannedPart> parts;
  for (const StatedRelease& release : statement.releases) {
    parts.push_back({release.purpose, release.event, release.count});
  }
  EXPECT_NEAR(certified_epsilon(whole_event(parts).value(), statement.cost->delta).value().upper,
              statement.cost->epsilon, 1e-3);
  EXPECT_GT(statement.claimed_epsilon, 0);
}

TEST(Dp2dp, RefusesWhatItDoesNotDo) {
  ResearchLedger ledger;
  Dp2dpOptions options;
  options.steps = 0;
  EXPECT_FALSE(dp2dp(small_census(), options, ledger, seeded_noise(1)));
  const Dataset three = census_data({.rows = 300, .groups = 3});
  EXPECT_FALSE(train_baseline(methods::dp2dp, three, {}, ledger, seeded_noise(1)));
}

}  // namespace
}  // namespace dpfermi
