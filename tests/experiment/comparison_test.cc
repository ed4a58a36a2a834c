#include "experiment/comparison.h"

#include <gmock/gmock.h>

#include <cmath>

namespace dpfermi {
namespace {

using ::testing::SizeIs;

/// Points (violation, error), each measured on splits that differ from the mean by `spread` times
/// -1, 0, 1 in the error and by `violation_spread` times the same in the violation.
Curve curve(const std::vector<TradeOffPoint>& points, double spread = 0,
            double violation_spread = 0) {
  Curve made{.method = "m", .epsilon = 1, .models = {}};
  for (const auto& [violation, error] : points) {
    CurveModel& model = made.models.emplace_back();
    for (const double sign : {-1.0, 0.0, 1.0}) {
      model.splits.push_back(static_cast<std::uint32_t>(model.splits.size()));
      model.error.push_back(error + sign * spread);
      model.violation.push_back(violation + sign * violation_spread);
      model.train_violation.push_back(2 * violation);
    }
  }
  return made;
}

const std::vector<TradeOffPoint> kLine = {{0, 0.3}, {0.1, 0.2}};
const std::vector<TradeOffPoint> kLower = {{0, 0.25}, {0.1, 0.15}};

TEST(Comparison, OfParallelLinesIsTheirDistance) {
  const Comparison result = compare(curve(kLower), curve(kLine), ViolationOf::kTest, 5);
  ASSERT_THAT(result.levels, SizeIs(5));
  for (const MatchedLevel& level : result.levels) {
    EXPECT_NEAR(level.difference.mean, -0.05, 1e-12);
    EXPECT_NEAR(level.difference.error, 0, 1e-12);
  }
  EXPECT_NEAR(result.mean_difference, -0.05, 1e-12);
  EXPECT_NEAR(result.area, -0.005, 1e-12);
  EXPECT_EQ(result.verdict, Verdict::kBetter);
  EXPECT_EQ(compare(curve(kLine), curve(kLower), ViolationOf::kTest).verdict, Verdict::kWorse);
}

TEST(Comparison, MatchesViolationsOnTheNamedRows) {
  const Comparison result = compare(curve(kLower), curve(kLine), ViolationOf::kTrain, 3);
  EXPECT_NEAR(result.levels.back().violation, 0.2, 1e-12);
}

TEST(Comparison, PairedSplitsCancel) {
  // The same splits are hard for both: the difference is certain.
  const Comparison result = compare(curve(kLower, 0.1), curve(kLine, 0.1), ViolationOf::kTest);
  for (const MatchedLevel& level : result.levels) EXPECT_NEAR(level.difference.error, 0, 1e-12);
}

TEST(Comparison, ChanceInViolationsCounts) {
  // Along a slope of -1, a violation that is off by v moves the error at a level by v.
  const std::optional<Estimate> error = error_at(curve(kLine, 0, 0.03), 0.05, ViolationOf::kTest);
  ASSERT_TRUE(error.has_value());
  EXPECT_NEAR(error->mean, 0.25, 1e-12);
  EXPECT_NEAR(error->error, 0.03 / std::sqrt(3), 1e-12);
}

TEST(Comparison, VerdictsLookAtEveryLevel) {
  const Curve crossing = curve({{0, 0.2}, {0.1, 0.21}, {0.2, 0.199}});
  EXPECT_EQ(compare(crossing, curve(kLine), ViolationOf::kTest).verdict, Verdict::kBetter);
  EXPECT_EQ(compare(curve({{0, 0.4}, {0.1, 0.1}}), curve(kLine), ViolationOf::kTest).verdict,
            Verdict::kMixed);
  EXPECT_EQ(compare(curve(kLine), curve(kLine), ViolationOf::kTest).verdict, Verdict::kLevel);
  EXPECT_EQ(compare(Curve{}, curve(kLine), ViolationOf::kTest).verdict, Verdict::kNone);
}

TEST(Comparison, AVerdictNeverContradictsTheSignOfTheMean) {
  // Better by more than a standard error at one level, slightly worse on average; and the reverse.
  const Curve flat = curve({{0, 0.23}, {0.1, 0.225}}, 0.1);
  const Curve steep = curve({{0, 0.3}, {0.01, 0.2}, {0.1, 0.19}});
  const Comparison better = compare(flat, steep, ViolationOf::kTest);
  EXPECT_LT(better.levels.front().difference.mean, -better.levels.front().difference.error);
  for (const MatchedLevel& level : better.levels) {
    EXPECT_LE(level.difference.mean, level.difference.error);
  }
  EXPECT_GT(better.mean_difference, 0);
  EXPECT_EQ(better.verdict, Verdict::kMixed);
  const Comparison reverse = compare(steep, flat, ViolationOf::kTest);
  EXPECT_LT(reverse.mean_difference, 0);
  EXPECT_EQ(reverse.verdict, Verdict::kMixed);
}

TEST(Comparison, AnEpsilonSufficesWhereItIsNowhereWorseWhateverTheMean) {
  Panel panel;
  panel.curves = {curve({{0, 0.23}, {0.1, 0.225}}, 0.1)};
  const Curve steep = curve({{0, 0.3}, {0.01, 0.2}, {0.1, 0.19}});
  EXPECT_EQ(epsilon_needed(panel, "m", steep, ViolationOf::kTest), 1.0);
  const Curve better = curve({{0, 0.1}, {0.1, 0.09}});
  EXPECT_FALSE(epsilon_needed(panel, "m", better, ViolationOf::kTest));
}

TEST(Comparison, StartsAtTheLeastViolationThatBothReach) {
  const Comparison result =
      compare(curve({{0.05, 0.2}, {0.1, 0.1}}), curve(kLine), ViolationOf::kTest, 3);
  EXPECT_NEAR(result.levels.front().violation, 0.05, 1e-12);
  EXPECT_NEAR(result.reach, 0.05, 1e-12);
  EXPECT_NEAR(result.other_reach, 0, 1e-12);
  EXPECT_FALSE(error_at(curve({{0.05, 0.2}}), 0.04, ViolationOf::kTest).has_value());
}

TEST(Comparison, FindsTheLeastSufficientEpsilon) {
  Panel panel;
  const auto add = [&](double epsilon, const std::vector<TradeOffPoint>& points) {
    panel.curves.push_back(curve(points));
    panel.curves.back().epsilon = epsilon;
  };
  add(9, kLower);
  add(1, {{0, 0.28}, {0.1, 0.19}});
  add(0.5, {{0, 0.35}, {0.1, 0.25}});
  const Curve reference = curve(kLine);
  EXPECT_EQ(epsilon_needed(panel, "m", reference, ViolationOf::kTest), 1);
  EXPECT_EQ(epsilon_needed(panel, "other", reference, ViolationOf::kTest), std::nullopt);
}

TEST(PublishedCurves, AreTheAuthorsMeans) {
  const std::vector<Curve> curves = published_curves("adult", FairnessNotion::kDemographicParity);
  const auto found = std::ranges::find_if(curves, [](const Curve& candidate) {
    return candidate.method == "dp-fermi" && !candidate.epsilon;
  });
  ASSERT_NE(found, curves.end());
  ASSERT_THAT(found->models, SizeIs(5));
  EXPECT_EQ(found->models[4].lambda, 1);
  EXPECT_NEAR(found->models[4].error[0], 0.18693, 1e-5);
  EXPECT_NEAR(found->models[4].violation[0], 0.00547, 1e-5);
  EXPECT_TRUE(published_curves("people", FairnessNotion::kDemographicParity).empty());
}

}  // namespace
}  // namespace dpfermi
