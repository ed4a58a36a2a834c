// The dual side of pf-ld against plain loops, and whole runs.

#include "baselines/pf_ld.h"

#include <gmock/gmock.h>

#include "baselines/baseline_data.h"
#include "baselines/pf_ld_duals.h"
#include "dpfermi/evaluate/metrics.h"
#include "model/network.h"

namespace dpfermi {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing_support::census_data;
using testing_support::run_baseline;
using testing_support::seeded_noise;
using testing_support::small_census;

const FairnessSetting kParity{FairnessNotion::kDemographicParity, 2, 2, 1};

/// 100 units, 40 in group 0 with mean h .5, 60 in group 1 with mean h .2.
GroupSums two_group_sums() {
  return {1, 2, 2, {20, 40, 12, 60}, 0};
}

TEST(PfLdDuals, GrowWithTheGapUpToTheCap) {
  PfLdDuals duals(kParity, {1}, 1, false);
  duals.update(two_group_sums(), 0.1);
  // Everybody: .32.
  EXPECT_THAT(duals.gaps(), ElementsAre(DoubleEq(0.5 - 0.32), DoubleEq(0.2 - 0.32)));
  EXPECT_THAT(duals.multipliers(),
              ElementsAre(testing::DoubleNear(0.018, 1e-12), testing::DoubleNear(0.012, 1e-12)));
  duals.update({1, 2, 2, {40, 40, 0, 60}, 0}, 0.1);  // gaps .6 and -.4
  EXPECT_THAT(duals.multipliers(), ElementsAre(testing::DoubleNear(0.018 + 0.025, 1e-12),
                                               testing::DoubleNear(0.012 + 0.025, 1e-12)));
}

TEST(PfLdDuals, FunctionalsAreTheDerivativeOfTheWeightedGaps) {
  PfLdDuals duals(kParity, {1}, 1, false);
  duals.update(two_group_sums(), 1);
  const std::vector<double>& lambda = duals.multipliers();
  // d/dF_i of 100 (lambda_0 (mean_0 - mean) - lambda_1 (mean_1 - mean)): gap 0 is positive.
  const double both = lambda[0] - lambda[1];
  const double first = lambda[0] / 0.4 - both;
  const double second = -lambda[1] / 0.6 - both;
  EXPECT_THAT(duals.functionals(),
              ElementsAre(DoubleEq(first), DoubleEq(second), DoubleEq(first), DoubleEq(second)));
}

TEST(PfLdDuals, AccuracyParityAsksForTheRightLabel) {
  PfLdDuals duals(kParity, {1}, 1, true);
  duals.update(two_group_sums(), 1);
  const std::vector<double> v = duals.functionals();
  // h = 1 - F_y: where y = 1, F_1 counts against h; where y = 0, F_1 counts for it.
  ASSERT_EQ(v.size(), 4U);
  EXPECT_GT(v[0], 0);
  EXPECT_LT(v[1], 0);
  EXPECT_DOUBLE_EQ(v[2], -v[0]);
  EXPECT_DOUBLE_EQ(v[3], -v[1]);
}

TEST(PfLdDuals, NoGroupIsSmallerThanItsNoise) {
  PfLdDuals duals(kParity, {1}, 1, false);
  duals.update({1, 2, 2, {-3, -5, 35, 105}, 8}, 1);
  EXPECT_DOUBLE_EQ(duals.group_shares()[0], 0.08);
  for (const double v : duals.functionals()) EXPECT_TRUE(std::isfinite(v));
}

TEST(PfLd, AMultiplierBuysParity) {
  const Dataset data = census_data({.rows = 6000});
  BaselineOptions options;
  options.epsilon = 10;
  options.lambda = 0;
  const double without = testing_support::parity_gap(run_baseline("pf-ld", options, 3, data), data);
  options.lambda = 12;
  const double with = testing_support::parity_gap(run_baseline("pf-ld", options, 3, data), data);
  EXPECT_LT(with, without / 2);
}

TEST(PfLd, ASeedFixesTheModelWhateverTheThreads) {
  BaselineOptions options;
  options.notion = FairnessNotion::kEqualizedOdds;
  options.hidden = {3};
  const auto theta = run_baseline("pf-ld", options, 9).theta;
  EXPECT_EQ(theta, run_baseline("pf-ld", options, 9, small_census(), 2).theta);
  EXPECT_NE(theta, run_baseline("pf-ld", options, 10).theta);
}

TEST(PfLd, StatesWhatItReleasedAndStaysWithinTheBudget) {
  BaselineOptions options;
  options.epsilon = 0.7;
  const PrivacyStatement statement = run_baseline("pf-ld", options, 1).statement;
  ASSERT_TRUE(statement.cost.has_value());
  EXPECT_LE(statement.cost->epsilon, 0.7);
  EXPECT_GT(statement.cost->epsilon, 0.69);
  ASSERT_EQ(statement.releases.size(), 2U);
  EXPECT_EQ(statement.releases[0].purpose, "gaps");
  EXPECT_EQ(statement.releases[0].count, 50U);
  EXPECT_TRUE(check_statement(statement).has_value());
}

TEST(PfLd, AccuracyParityRuns) {
  PfLdOptions options;
  options.accuracy_parity = true;
  ResearchLedger ledger;
  EXPECT_TRUE(pf_ld(small_census(), options, ledger, seeded_noise(1)).has_value());
  options.rounds = 0;
  EXPECT_FALSE(pf_ld(small_census(), options, ledger, seeded_noise(1)).has_value());
}

}  // namespace
}  // namespace dpfermi
