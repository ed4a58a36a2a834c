#include <gmock/gmock.h>

#include "report/fixtures.h"
#include "report/report_data.h"

namespace dpfermi {
namespace {

TEST(Summarise, GivesMeanAndStandardErrorOverSplits) {
  const ReportData data = summarise(
      results_of({RunOf{"fermi", {}, 1, 0.16, 0.04, 0}, RunOf{"fermi", {}, 1, 0.18, 0.06, 1},
                  RunOf{"fermi", {}, 1, 0.17, 0.08, 2}}));
  ASSERT_EQ(data.panels.size(), 1U);
  const CurveModel& model = data.panels[0].curves[0].models[0];
  EXPECT_DOUBLE_EQ(estimate(model.error).mean, 0.17);
  EXPECT_DOUBLE_EQ(estimate(model.error).error, 0.01 / std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(estimate(model.violation).mean, 0.06);
  const PointDetails& details = data.panels[0].details[0].points[0];
  EXPECT_DOUBLE_EQ(details.soft_violation, 0.03);
  ASSERT_EQ(details.groups.size(), 2U);
  EXPECT_EQ(details.groups[1].name, "m");
  EXPECT_DOUBLE_EQ(*details.groups[1].rate, 0.26);
  EXPECT_FALSE(details.groups[1].false_positive_rate);
}

TEST(Summarise, GivesMeansOfPerformanceForAllRowsAndEveryGroup) {
  RunRecord one = RunOf{"fermi", {}, 1, 0.16, 0.04, 0};
  RunRecord two = RunOf{"fermi", {}, 1, 0.18, 0.06, 1};
  one.test.performance = Performance{0.8, 0.3, 0.5, 0.7, 0.2, {{10, 0.1, 0.2}, {0, 0, 0}}};
  two.test.performance = Performance{0.6, 0.5, 0.7, 0.9, 0.1, {{30, 0.3, 0.4}, {4, 0.9, 1}}};
  two.test.fairness->groups[1].performance = Performance{0.75, 0.25, 0.5, 0.5, 0.125, {}};
  const ReportData data = summarise(results_of({one, two}));
  const PointDetails& details = data.panels[0].details[0].points[0];
  EXPECT_DOUBLE_EQ(*details.performance.auc, 0.7);
  EXPECT_DOUBLE_EQ(*details.performance.balanced_error, 0.4);
  EXPECT_DOUBLE_EQ(*details.performance.precision, 0.6);
  EXPECT_DOUBLE_EQ(*details.performance.recall, 0.8);
  EXPECT_DOUBLE_EQ(*details.performance.brier, 0.15);
  ASSERT_EQ(details.performance.calibration.size(), 2U);
  EXPECT_DOUBLE_EQ(details.performance.calibration[0].units, 20);
  EXPECT_DOUBLE_EQ(details.performance.calibration[0].mean_probability, 0.25);
  EXPECT_DOUBLE_EQ(details.performance.calibration[0].share, 0.35);
  EXPECT_DOUBLE_EQ(details.performance.calibration[1].share, 1);
  EXPECT_FALSE(details.groups[0].performance.auc);
  EXPECT_DOUBLE_EQ(*details.groups[1].performance.auc, 0.75);
  EXPECT_DOUBLE_EQ(*details.groups[1].performance.brier, 0.125);
}

TEST(Summarise, PutsPublishedCurvesAfterThoseOfTheRuns) {
  const ReportData data = summarise(results_of({RunOf{"fermi", {}, 1, 0.16, 0.04}}));
  const ReportPanel& panel = data.panels[0];
  ASSERT_EQ(panel.details.size(), 1U);
  ASSERT_GT(panel.curves.size(), 1U);
  EXPECT_FALSE(panel.curves[0].published);
  EXPECT_TRUE(panel.curves[1].published);
  EXPECT_EQ(panel.title(), "Adult · demographic parity · honest");
}

TEST(Summarise, StatesThePromiseOfTheWeakestRun) {
  RunRecord weak = RunOf{"dp-fermi", 1.0, 1, 0.16, 0.04, 1};
  weak.privacy->cost->epsilon = 1.5;
  const ReportData data = summarise(results_of(
      {RunOf{"dp-fermi", 1.0, 1, 0.16, 0.04, 0}, weak, RunOf{"dp-fermi", 1.0, 2, 0.17, 0.02, 0}}));
  const std::vector<PointDetails>& points = data.panels[0].details[0].points;
  ASSERT_EQ(data.statements.size(), 2U);
  EXPECT_EQ(data.statements[*points[0].statement].cost->epsilon, 1.5);
  EXPECT_EQ(data.statements[*points[1].statement].cost->epsilon, 1.0);
}

TEST(Summarise, StatesNothingWhereARunPromisesNothing) {
  RunRecord silent = RunOf{"dp-fermi", 1.0, 1, 0.16, 0.04, 1};
  silent.privacy.reset();
  const ReportData data = summarise(results_of({RunOf{"dp-fermi", 1.0, 1, 0.16, 0.04, 0}, silent}));
  EXPECT_FALSE(data.panels[0].details[0].points[0].statement);
}

TEST(Summarise, AKnownSeedPromisesLessThanAnyEpsilon) {
  RunRecord seeded = RunOf{"dp-fermi", 1.0, 1, 0.16, 0.04, 1};
  seeded.privacy->noise = Reproducibility::kReproducible;
  seeded.privacy->cost->epsilon = 0.1;
  const ReportData data = summarise(results_of({RunOf{"dp-fermi", 1.0, 1, 0.16, 0.04, 0}, seeded}));
  EXPECT_FALSE(is_private(data.statements[*data.panels[0].details[0].points[0].statement]));
}

TEST(Summarise, KeepsTheEndsOfALongTrainingCurve) {
  RunRecord run = RunOf{"fermi", {}, 1, 0.16, 0.04};
  for (std::uint64_t step = 0; step <= 1000; ++step) run.curve.push_back({step, 0.2, 0.1});
  const ReportData data = summarise(results_of({run}));
  const std::vector<CurvePoint>& kept = data.panels[0].details[0].training->points;
  EXPECT_EQ(kept.size(), kCurvePoints);
  EXPECT_EQ(kept.front().step, 0U);
  EXPECT_EQ(kept.back().step, 1000U);
}

TEST(Titles, AreForPeople) {
  EXPECT_EQ(dataset_title("retired-adult"), "Retired Adult");
  EXPECT_EQ(notion_title(FairnessNotion::kEqualizedOdds), "equalized odds");
}

}  // namespace
}  // namespace dpfermi
