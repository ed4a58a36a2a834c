#include <gmock/gmock.h>

#include "experiment/summary.h"
#include "experiment/trade_off.h"

namespace dpfermi {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

CurveModel model(std::optional<double> lambda, std::vector<double> errors,
                 std::vector<double> violations) {
  CurveModel made;
  made.lambda = lambda;
  made.error = made.train_error = std::move(errors);
  made.violation = made.train_violation = std::move(violations);
  for (std::uint32_t split = 0; split < made.error.size(); ++split) made.splits.push_back(split);
  return made;
}

/// Two splits: from .1 at .2 to .3, and from .2 at .4 to .4.
std::vector<Curve> with_coin() {
  Curve coin{.method = "coin", .models = {}};
  coin.models = {model(0.0, {0.1, 0.2}, {0.2, 0.4}), model(1.0, {0.3, 0.4}, {0, 0})};
  return {coin};
}

TEST(FreeLine, IsStraightBetweenThePlainModelAndTheConstant) {
  const FreeLine line{{0.2, 0.1}, {0, 0.3}};
  EXPECT_DOUBLE_EQ(line.error_at(0), 0.3);
  EXPECT_DOUBLE_EQ(line.error_at(0.05), 0.25);
  EXPECT_DOUBLE_EQ(line.error_at(0.2), 0.1);
  EXPECT_DOUBLE_EQ(line.error_at(0.5), 0.1);
  // Where the plain model is no better than the constant, the constant is all there is.
  EXPECT_DOUBLE_EQ((FreeLine{{0.2, 0.3}, {0, 0.3}}.error_at(0.1)), 0.3);
}

TEST(FreeLine, ModelsAreComparedSplitBySplit) {
  const auto lines = free_lines(with_coin(), ViolationOf::kTest);
  ASSERT_EQ(lines.size(), 2U);
  // On the line in the first split (.2 at .1), .02 above it in the second (.3 at .2).
  const auto above = above_line(model(1.0, {0.2, 0.32}, {0.1, 0.2}), lines, ViolationOf::kTest);
  ASSERT_TRUE(above);
  EXPECT_NEAR(above->excess.mean, 0.01, 1e-12);
  EXPECT_NEAR(above->excess.error, 0.01, 1e-12);
  EXPECT_NEAR(above->over_constant.mean, -0.09, 1e-12);
}

TEST(FreeLine, TakesErrorsAndViolationsOfTheSameRows) {
  std::vector<Curve> coin = with_coin();
  coin[0].models[0].train_error = {0.05, 0.05};
  coin[0].models[0].train_violation = {0.1, 0.1};
  coin[0].models[1].train_error = {0.25, 0.25};
  CurveModel trained = model(1.0, {0.2, 0.3}, {0.1, 0.2});  // on the line of the test rows
  trained.train_error = {0.18, 0.18};
  trained.train_violation = {0.05, 0.05};
  const auto excess = [&](ViolationOf rows) {
    return above_line(trained, free_lines(coin, rows), rows)->excess.mean;
  };
  EXPECT_NEAR(excess(ViolationOf::kTest), 0, 1e-12);
  EXPECT_NEAR(excess(ViolationOf::kTrain), 0.03, 1e-12);
}

/// 100 units, of which `favourable` have the favourable label; the violation is half the error.
Metrics metrics_of(double error, double favourable) {
  Metrics metrics;
  metrics.error = error;
  metrics.performance.emplace().calibration = {{.units = 100, .share = favourable / 100}};
  metrics.fairness.emplace().violation.add(FairnessNotion::kDemographicParity, error / 2);
  return metrics;
}

TEST(Panels, KeepFiguresOfTestAndTrainingRowsApart) {
  RunRecord run;
  run.spec.method = "erm";
  run.train = metrics_of(0.1, 30);
  run.test = metrics_of(0.2, 40);
  const std::vector<Panel> panels = make_panels({run});
  const CurveModel& erm = panels.at(0).curves.at(0).models.at(0);
  EXPECT_THAT(erm.errors(ViolationOf::kTest), ElementsAre(0.2));
  EXPECT_THAT(erm.errors(ViolationOf::kTrain), ElementsAre(0.1));
  EXPECT_THAT(erm.violations(ViolationOf::kTrain), ElementsAre(0.05));
  // Without a coin the line follows from erm and the classes, of the same rows.
  EXPECT_DOUBLE_EQ(free_lines(panels[0].curves, ViolationOf::kTest).at(0).error_at(0), 0.4);
  EXPECT_DOUBLE_EQ(free_lines(panels[0].curves, ViolationOf::kTrain).at(0).error_at(0), 0.3);
}

TEST(FreeLine, IsUnknownWithoutACoin) {
  EXPECT_TRUE(free_lines({Curve{.method = "fermi", .models = {}}}, ViolationOf::kTest).empty());
  EXPECT_FALSE(above_line(model(1.0, {0.2}, {0.1}), {}, ViolationOf::kTest));
}

/// auto and pf-ld at epsilon 1 beside the free line.
Summary with_rival(CurveModel ours, CurveModel theirs) {
  Summary summary;
  Panel& panel = summary.panels.emplace_back().panel;
  panel.dataset = "people";
  panel.curves = with_coin();
  panel.curves.push_back({.method = "auto", .epsilon = 1, .models = {std::move(ours)}});
  panel.curves.push_back({.method = "pf-ld", .epsilon = 1, .models = {std::move(theirs)}});
  return summary;
}

std::string covered(const CurveModel& ours, const CurveModel& theirs) {
  return to_markdown(with_rival(ours, theirs), SummaryTable::kCovered, ViolationOf::kTest);
}

TEST(Covered, APointIsWhereBothFiguresAreWithinTwoStandardErrors) {
  const CurveModel point = model(2.0, {0.2, 0.2}, {0.1, 0.1});
  EXPECT_THAT(covered(model(5.0, {0.2, 0.2}, {0.1, 0.1}), point), HasSubstr("1 of 1 points"));
  EXPECT_THAT(covered(model(5.0, {0.21, 0.21}, {0.1, 0.1}), point), HasSubstr("0 of 1 points"));
  EXPECT_THAT(covered(model(5.0, {0.2, 0.2}, {0.11, 0.11}), point), HasSubstr("0 of 1 points"));
  // .01 more on the mean, with a standard error of .01.
  EXPECT_THAT(covered(model(5.0, {0.22, 0.2}, {0.1, 0.1}), point), HasSubstr("1 of 1 points"));
}

TEST(Covered, DifferencesArePairedBySplit) {
  // Both vary by more than they differ, and always together.
  const CurveModel point = model(2.0, {0.2, 0.4}, {0.1, 0.1});
  EXPECT_THAT(covered(model(5.0, {0.21, 0.41}, {0.1, 0.1}), point), HasSubstr("0 of 1 points"));
  // Only the second split is shared, where ours is better.
  CurveModel late = model(5.0, {0.3, 0.9}, {0.1, 0.1});
  late.splits = {1, 2};
  EXPECT_THAT(covered(late, point), HasSubstr("1 of 1 points"));
}

TEST(Covered, OnlyPrivateBaselinesArePoints) {
  Summary summary = with_rival(model(5.0, {0.1}, {0.1}), model(2.0, {0.2}, {0.2}));
  summary.panels[0].panel.curves.back().method = "fermi";
  EXPECT_EQ(to_markdown(summary, SummaryTable::kCovered, ViolationOf::kTest), "");
}

TEST(FreeLineTable, OfOneMethodListsNoOther) {
  const Summary summary = with_rival(model(5.0, {0.2, 0.3}, {0.1, 0.2}), model(2.0, {0.2}, {0.2}));
  const std::string all = to_markdown(summary, SummaryTable::kFreeLine, ViolationOf::kTest);
  EXPECT_THAT(all, HasSubstr("| people, honest, demographic-parity | pf-ld, epsilon 1 | 2 |"));
  const std::string ours =
      to_markdown(summary, SummaryTable::kFreeLine, ViolationOf::kTest, {.method = "auto"});
  EXPECT_THAT(ours, HasSubstr("| auto, epsilon 1 | 5 |"));
  EXPECT_THAT(ours, Not(HasSubstr("pf-ld")));
}

}  // namespace
}  // namespace dpfermi
