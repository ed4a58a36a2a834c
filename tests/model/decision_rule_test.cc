#include "model/decision_rule.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

namespace dpfermi {
namespace {

using testing::ElementsAre;

/// One number a row: -1, 1.
HybridMatrix two_rows() {
  HybridMatrix x(2, 1, 0, 1);
  x.row(0).numbers[0] = -1;
  x.row(1).numbers[0] = 1;
  return x;
}

const ModelSpec kSpec{1, 2, {}};

TEST(DecisionRule, APlainRuleTakesTheLikeliestClass) {
  EXPECT_THAT(decision_probabilities({}, kSpec, std::vector<double>{3, 0}, 1, two_rows(), {}),
              ElementsAre(1, 0, 0, 1));
}

TEST(DecisionRule, AMixtureVotesByWeight) {
  // The second member says the opposite of the first.
  const DecisionRule rule{{0.75, 0.25}, {}};
  EXPECT_THAT(
      decision_probabilities(rule, kSpec, std::vector<double>{3, 0, -1, 0}, 1, two_rows(), {}),
      ElementsAre(0.75, 0.25, 0.25, 0.75));
}

TEST(DecisionRule, ATableRedrawsByGroupWhicheverClassIsFavourable) {
  const DecisionRule rule{{}, {0.5, 1, 0, 0.25}};
  const std::vector<std::uint16_t> groups{0, 1};
  EXPECT_THAT(decision_probabilities(rule, kSpec, std::vector<double>{3, 0}, 1, two_rows(), groups),
              ElementsAre(0.5, 0.5, 0.75, 0.25));
  // Favourable is class 0: row 0 is decided favourably, row 1 is not.
  EXPECT_THAT(decision_probabilities(rule, kSpec, std::vector<double>{3, 0}, 0, two_rows(), groups),
              ElementsAre(1, 0, 0, 1));
}

/// Rows of one number each, all different.
HybridMatrix many_rows(std::size_t rows) {
  HybridMatrix x(rows, 1, 0, 1);
  for (std::size_t i = 0; i < rows; ++i) x.row(i).numbers[0] = 1 + static_cast<float>(i) / 64;
  return x;
}

TEST(DecisionRule, APlainRuleDecidesForTheLikeliestClass) {
  EXPECT_THAT(rule_decisions({}, kSpec, std::vector<double>{3, 0}, 1, two_rows(), {}),
              ElementsAre(0, 1));
}

TEST(DecisionRule, AMixtureDecidesAsOftenAsItsWeightsSay) {
  // Members that decide for 0, 1 and 0, so that class 1 has the weight of the second. The share of
  // 20,000 draws lies within 4.5 standard deviations of it except for one key in 150,000.
  const std::vector<double> theta{-3, 0, 3, 0, -1, 0};
  for (const double weight : {0.1, 0.5, 0.85}) {
    const DecisionRule rule{{0.6 * (1 - weight), weight, 0.4 * (1 - weight)}, {}};
    const auto decisions = rule_decisions(rule, kSpec, theta, 1, many_rows(20'000), {});
    const auto ones = static_cast<double>(std::ranges::count(decisions, 1));
    EXPECT_NEAR(ones / 20'000, weight, 4.5 * std::sqrt(weight * (1 - weight) / 20'000));
  }
}

TEST(DecisionRule, ADrawDependsOnTheInputsAndTheParametersAlone) {
  const DecisionRule rule{{0.5, 0.5}, {}};
  const std::vector<double> theta{-3, 0, 3, 0};
  const HybridMatrix x = many_rows(1'000);
  const auto decisions = rule_decisions(rule, kSpec, theta, 1, x, {});
  // Alone, or with noise in the last bits of a number: the same decision.
  for (const std::size_t i : {0U, 17U, 999U}) {
    HybridMatrix one(1, 1, 0, 1);
    one.row(0).numbers[0] = std::nextafter(x.row(i).numbers[0], 100.0F);
    EXPECT_THAT(rule_decisions(rule, kSpec, theta, 1, one, {}), ElementsAre(decisions[i]));
  }
  // Another model draws anew: about half of the decisions differ.
  const auto other = rule_decisions(rule, kSpec, std::vector<double>{-3.5, 0, 3, 0}, 1, x, {});
  int apart = 0;
  for (std::size_t i = 0; i < decisions.size(); ++i) apart += decisions[i] != other[i] ? 1 : 0;
  EXPECT_NEAR(apart, 500, 80);
}

TEST(DecisionRule, ATableRedrawsDecisionsAsOftenAsItSays) {
  const DecisionRule rule{{}, {0, 0.3, 0, 1}};
  std::vector<std::uint16_t> groups(20'000);
  std::fill(groups.begin() + 10'000, groups.end(), 1);
  const auto decisions =
      rule_decisions(rule, kSpec, std::vector<double>{3, 0}, 1, many_rows(20'000), groups);
  const auto granted = std::count(decisions.begin(), decisions.begin() + 10'000, 1);
  EXPECT_NEAR(static_cast<double>(granted), 3'000, 200);
  EXPECT_EQ(std::count(decisions.begin() + 10'000, decisions.end(), 1), 10'000);
}

TEST(DecisionRule, AConstantMemberDecidesForItsLabel) {
  for (const ModelSpec& spec : {ModelSpec{1, 2, {}}, ModelSpec{1, 3, {}}, ModelSpec{1, 4, {2}}}) {
    for (std::uint16_t label = 0; label < spec.classes; ++label) {
      EXPECT_THAT(rule_decisions({}, spec, constant_member(spec, label), 0, two_rows(), {}),
                  ElementsAre(label, label));
    }
  }
}

TEST(DecisionRule, RefusesPartsThatMakeNoRule) {
  EXPECT_TRUE(check_rule({}, kSpec, 2).has_value());
  EXPECT_TRUE(check_rule({{0.5, 0.5}, {0, 1, 0.5, 0.5}}, kSpec, 2).has_value());
  EXPECT_FALSE(check_rule({{0.5, 0.4}, {}}, kSpec, 2).has_value());
  EXPECT_FALSE(check_rule({{1.5, -0.5}, {}}, kSpec, 2).has_value());
  EXPECT_FALSE(check_rule({{}, {0, 1}}, kSpec, 2).has_value());
  EXPECT_FALSE(check_rule({{}, {0, 1, 0, 1}}, {1, 3, {}}, 2).has_value());
}

}  // namespace
}  // namespace dpfermi
