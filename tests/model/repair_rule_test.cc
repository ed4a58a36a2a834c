#include "model/repair_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/decision_rule.h"

namespace dpfermi {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;

const ModelSpec kOneInput{1, 2, {}};

/// One number a row: 0, 3.
HybridMatrix rows_0_and_3() {
  HybridMatrix x(2, 1, 0, 1);
  x.row(0).numbers[0] = 0;
  x.row(1).numbers[0] = 3;
  return x;
}

/// P~(r = 1 | x) = sigmoid(log 2 min(x, 1) + log 3); an error costs 1, and a positive decision more
/// or less by the group.
RepairRule rule() {
  RepairRule rule;
  rule.clip_norm = 1;
  rule.kappa = 0.5;
  rule.condition_by_label = {0, 0};
  rule.beta = {std::log(2.0F), 2 * std::log(3.0F)};
  rule.costs = {0, 1.5, 0, 0.5, 1, 0.5, 1, -0.5};
  return rule;
}

TEST(RepairRule, GuessesTheGroupOfARowThatIsCut) {
  // By hand: odds of 3 where x is 0; 6 where it is 3, which counts as 1.
  const std::vector<double> joint =
      joint_guess(rule(), rows_0_and_3(), std::vector<float>{1, 0, 0, 1});
  EXPECT_THAT(joint, ElementsAre(DoubleNear(1. / 4, 1e-6), DoubleNear(3. / 4, 1e-6), 0, 0, 0, 0,
                                 DoubleNear(1. / 7, 1e-6), DoubleNear(6. / 7, 1e-6)));
}

TEST(RepairRule, DecidesForTheCheapestClass) {
  // By hand, row 0: class 0 costs eta, class 1 costs 1 - eta + (1/4 - 3/4) / 2 = 0.75 - eta.
  for (const auto& [eta, decision] : {std::pair(.37F, 0), std::pair(.38F, 1)}) {
    const std::vector<float> scores{1 - eta, eta, 1 - eta, eta};
    EXPECT_EQ(repaired_decisions(rule(), rows_0_and_3(), scores)[0][0], decision);
  }
  // Row 1: 1 - eta + (1/7 - 6/7) / 2.
  for (const auto& [eta, decision] : {std::pair(.32F, 0), std::pair(.33F, 1)}) {
    const std::vector<float> scores{1 - eta, eta, 1 - eta, eta};
    EXPECT_EQ(repaired_decisions(rule(), rows_0_and_3(), scores)[0][1], decision);
  }
}

TEST(RepairRule, DecidesForTheFirstOfEqualClasses) {
  EXPECT_THAT(cheapest_decisions(std::vector<double>{.5, .5}, std::vector<double>{1, 0, 0, 1}, 2),
              ElementsAre(0));
}

TEST(RepairRule, TakesGroupsForAlikeWhereALabelHasNoCondition) {
  RepairRule opportunity = rule();
  opportunity.condition_by_label = {1, 0};
  const std::vector<double> joint =
      joint_guess(opportunity, rows_0_and_3(), std::vector<float>{1, 0, 1, 0});
  EXPECT_THAT(joint, ElementsAre(.5, .5, 0, 0, .5, .5, 0, 0));
}

TEST(RepairRule, DecidesByTheScoresOfAModelOrOfTheRows) {
  const DecisionRule decides{{}, {}, rule()};
  const std::vector<double> theta{0, std::log(.38 / .62)};  // eta = .38 everywhere
  EXPECT_THAT(rule_decisions(decides, kOneInput, theta, 1, rows_0_and_3(), {}), ElementsAre(1, 1));
  EXPECT_THAT(
      rule_decisions(decides, kOneInput, {}, 1, rows_0_and_3(), {}, std::vector<float>{1, 0, 0, 1}),
      ElementsAre(0, 1));
  EXPECT_THAT(decision_probabilities(decides, kOneInput, theta, 1, rows_0_and_3(), {}),
              ElementsAre(0, 1, 0, 1));
}

TEST(RepairRule, MixesTablesOfCosts) {
  DecisionRule decides{{0.5, 0.5}, {}, rule()};
  std::vector<double>& costs = decides.repair->costs;
  for (int i = 0; i < 4; ++i) costs.insert(costs.end(), {0, 1});  // always class 0
  EXPECT_TRUE(check_rule(decides, kOneInput, 2).has_value());
  EXPECT_THAT(decision_probabilities(decides, kOneInput, {}, 1, rows_0_and_3(), {},
                                     std::vector<float>{0, 1, 0, 1}),
              ElementsAre(.5, .5, .5, .5));
}

TEST(RepairRule, RefusesPartsThatDoNotFit) {
  const auto refused = [](const RepairRule& changed, std::size_t groups = 2) {
    return !check_rule({{}, {}, changed}, kOneInput, groups).has_value();
  };
  EXPECT_FALSE(refused(rule()));
  EXPECT_TRUE(refused(rule(), 3));
  RepairRule changed = rule();
  changed.costs.pop_back();
  EXPECT_TRUE(refused(changed));
  changed = rule();
  changed.beta.push_back(1);
  EXPECT_TRUE(refused(changed));
  changed = rule();
  changed.condition_by_label = {0, 2};
  EXPECT_TRUE(refused(changed));
  changed = rule();
  changed.clip_norm = 0;
  EXPECT_TRUE(refused(changed));
  changed = rule();
  changed.costs[0] = NAN;
  EXPECT_TRUE(refused(changed));
  EXPECT_FALSE(check_rule({{}, {0, 1, 0, 1}, rule()}, kOneInput, 2).has_value());
}

}  // namespace
}  // namespace dpfermi
