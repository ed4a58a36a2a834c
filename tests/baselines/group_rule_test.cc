#include "baselines/group_rule.h"

#include <gmock/gmock.h>

#include "baselines/linear_program.h"
#include "baselines/mozannar.h"

namespace dpfermi {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pointwise;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(LinearProgram, FindsTheCornerThatTextbooksDo) {
  // max 3a + 5b, a <= 4, 2b <= 12, 3a + 2b <= 18: 36 at (2, 6).
  const LinearProgram program{
      {-3, -5}, {0, 0}, {4, kInfinity}, {{{0, 2}, -kInfinity, 12}, {{3, 2}, -kInfinity, 18}}};
  EXPECT_THAT(solve(program).value(), ElementsAre(DoubleNear(2, 1e-9), DoubleNear(6, 1e-9)));
}

TEST(LinearProgram, SaysWhereThereIsNoSolution) {
  EXPECT_FALSE(solve({{1}, {0}, {1}, {{{1}, 2, 3}}}).has_value());
}

/// Rates of a rule on a table: P(1 | r, y).
double positive_rate(const DecisionTable& table, const std::vector<double>& p, std::size_t r,
                     std::size_t y) {
  return (p[2 * r] * table.at(0, r, y) + p[2 * r + 1] * table.at(1, r, y)) / table.rows(r, y);
}

double error(const DecisionTable& table, const std::vector<double>& p) {
  double wrong = 0;
  double total = 0;
  for (std::size_t r = 0; r < table.groups; ++r) {
    for (const std::size_t b : {0, 1}) {
      wrong += p[2 * r + b] * table.at(b, r, 0) + (1 - p[2 * r + b]) * table.at(b, r, 1);
      total += table.at(b, r, 0) + table.at(b, r, 1);
    }
  }
  return wrong / total;
}

/// Group 0: TPR .9, FPR .2; group 1: TPR .6, FPR .1; 100 rows of each label and group.
DecisionTable two_group_table() {
  DecisionTable table(2);
  table.at(1, 0, 1) = 90;
  table.at(0, 0, 1) = 10;
  table.at(1, 0, 0) = 20;
  table.at(0, 0, 0) = 80;
  table.at(1, 1, 1) = 60;
  table.at(0, 1, 1) = 40;
  table.at(1, 1, 0) = 10;
  table.at(0, 1, 0) = 90;
  return table;
}

TEST(FairGroupTable, EqualRatesAtLeastError) {
  // A rule of group r reaches the parallelogram of (FPR, TPR) with corners (0,0), (1,1), its own
  // point and the mirrored one. The best common point is where the upper edges cross: TPR = 4.5 FPR
  // of group 0 from (0,0), TPR = .6 + (4/9)(FPR - .1) of group 1 towards (1,1). With equal rows the
  // error is (1 - TPR + FPR) / 2.
  const double fpr = 20.0 / 146;
  const double tpr = 4.5 * fpr;
  const DecisionTable table = two_group_table();
  const std::vector<double> p = fair_group_table(table, {0, 0}).value();
  for (const std::size_t y : {0, 1}) {
    EXPECT_NEAR(positive_rate(table, p, 0, y), positive_rate(table, p, 1, y), 1e-9);
  }
  EXPECT_NEAR(positive_rate(table, p, 1, 1), tpr, 1e-9);
  EXPECT_NEAR(positive_rate(table, p, 1, 0), fpr, 1e-9);
  EXPECT_NEAR(error(table, p), (1 - tpr + fpr) / 2, 1e-9);
}

TEST(FairGroupTable, AToleranceOfOneLeavesDecisionsAlone) {
  const DecisionTable table = two_group_table();
  EXPECT_THAT(fair_group_table(table, {1, 1}).value(),
              Pointwise(DoubleNear(1e-9), std::vector<double>{0, 1, 0, 1}));
}

TEST(FairGroupTable, OpportunityConstrainsTheFavourableLabelAlone) {
  const DecisionTable table = two_group_table();
  const std::vector<double> p =
      fair_group_table(table, tolerances(FairnessNotion::kEqualOpportunity, 0)).value();
  EXPECT_NEAR(positive_rate(table, p, 0, 1), positive_rate(table, p, 1, 1), 1e-9);
  EXPECT_LT(error(table, p), error(table, fair_group_table(table, {0, 0}).value()) - 1e-3);
}

TEST(FairGroupTable, MoreToleranceNeverCostsAccuracy) {
  const DecisionTable table = two_group_table();
  double before = 1;
  for (const double tolerance : {0.0, 0.05, 0.1, 0.2, 0.4}) {
    const std::vector<double> p = fair_group_table(table, {tolerance, tolerance}).value();
    EXPECT_LE(std::abs(positive_rate(table, p, 0, 1) - positive_rate(table, p, 1, 1)),
              tolerance + 1e-9);
    EXPECT_LE(error(table, p), before + 1e-12);
    before = error(table, p);
  }
}

TEST(DecisionTable, IsCorrectedWhereNoiseOrSmallCountsBrokeIt) {
  DecisionTable table(2);
  table.at(1, 0, 1) = -3;
  table.at(0, 0, 1) = 5;
  table.correct();
  EXPECT_EQ(table.at(1, 0, 1), 0);
  EXPECT_EQ(table.at(0, 0, 1), 5);
  EXPECT_EQ(table.rows(1, 0), 1);
  EXPECT_TRUE(fair_group_table(table, {0, 0}).has_value());
}

TEST(TrueCounts, InvertRandomisedResponse) {
  const std::vector<double> truth{50, 30, 20};
  for (const double keep : {0.4, 0.7, 1.0}) {
    const double other = (1 - keep) / 2;
    std::vector<double> answers;
    for (const double own : truth) answers.push_back(keep * own + other * (100 - own));
    EXPECT_THAT(true_counts(answers, keep), Pointwise(DoubleNear(1e-9), truth));
  }
}

}  // namespace
}  // namespace dpfermi
