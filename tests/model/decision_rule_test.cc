#include "model/decision_rule.h"

#include <gmock/gmock.h>

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

TEST(DecisionRule, RefusesWhatIsNoRule) {
  EXPECT_TRUE(check_rule({}, kSpec, 2).has_value());
  EXPECT_TRUE(check_rule({{0.5, 0.5}, {0, 1, 0.5, 0.5}}, kSpec, 2).has_value());
  EXPECT_FALSE(check_rule({{0.5, 0.4}, {}}, kSpec, 2).has_value());
  EXPECT_FALSE(check_rule({{1.5, -0.5}, {}}, kSpec, 2).has_value());
  EXPECT_FALSE(check_rule({{}, {0, 1}}, kSpec, 2).has_value());
  EXPECT_FALSE(check_rule({{}, {0, 1, 0, 1}}, {1, 3, {}}, 2).has_value());
}

}  // namespace
}  // namespace dpfermi
