#include <gmock/gmock.h>

#include <random>

#include "report/fixtures.h"
#include "report/report_data.h"

namespace dpfermi {
namespace {

/// Gaps .2 -> .05 -> .01 at growing error, from `base` on.
void add_curve(std::vector<RunRecord>& runs, const std::string& method,
               std::optional<double> epsilon, double base) {
  runs.push_back(RunOf{method, epsilon, 0, base, 0.20});
  runs.push_back(RunOf{method, epsilon, 1, base + 0.01, 0.05});
  runs.push_back(RunOf{method, epsilon, 2, base + 0.03, 0.01});
}

ReportPanel panel_of(std::vector<RunRecord> runs) {
  for (RunRecord& run : runs) run.spec.dataset = "census";  // no figures of it were published
  return summarise(results_of(std::move(runs))).panels.front();
}

TEST(Answer, IsAboutThePrivateMethodNearEpsilonOneThatDoesBest) {
  std::vector<RunRecord> runs;
  add_curve(runs, "fermi", {}, 0.150);
  add_curve(runs, "dp-fermi", 0.5, 0.160);
  add_curve(runs, "sketch", 1.0, 0.156);
  add_curve(runs, "dp-fermi", 1.0, 0.155);
  runs.push_back(RunOf{"erm", {}, 0, 0.149, 0.21});
  const ReportPanel panel = panel_of(runs);
  ASSERT_TRUE(panel.answer);
  const Answer& answer = *panel.answer;
  EXPECT_EQ(panel.curves[answer.curve].method, "dp-fermi");
  EXPECT_EQ(panel.curves[answer.curve].epsilon, 1.0);
  EXPECT_DOUBLE_EQ(answer.violation.mean, 0.05);  // about a quarter of .21
  EXPECT_DOUBLE_EQ(answer.error.mean, 0.165);
  EXPECT_DOUBLE_EQ(answer.unfair->error, 0.149);
  EXPECT_DOUBLE_EQ(answer.unfair->violation, 0.21);
  EXPECT_NEAR(answer.without_privacy->mean, 0.160, 1e-12);
  EXPECT_FALSE(answer.published);
}

/// The free line from .15 at a gap of .2 to a constant that errs on .25.
void add_coin(std::vector<RunRecord>& runs) {
  runs.push_back(RunOf{"coin", {}, 0, 0.15, 0.20});
  runs.push_back(RunOf{"coin", {}, 0.5, 0.20, 0.10});
  runs.push_back(RunOf{"coin", {}, 1, 0.25, 0});
}

TEST(Answer, IsNotAboutAModelThatIsNoBetterThanTheConstantOrTheFreeLine) {
  std::vector<RunRecord> runs;
  add_coin(runs);
  // As fair as can be, and worthless; fairer than the line, and worse than it; below it.
  runs.push_back(RunOf{"pf-ld", 1.0, 8, 0.25, 0.001});
  runs.push_back(RunOf{"sketch", 1.0, 2, 0.235, 0.05});
  runs.push_back(RunOf{"sketch", 1.0, 4, 0.245, 0.02});
  runs.push_back(RunOf{"dp-fermi", 1.0, 1, 0.17, 0.10});
  const ReportPanel panel = panel_of(runs);
  ASSERT_TRUE(panel.answer);
  EXPECT_EQ(panel.curves[panel.answer->curve].method, "dp-fermi");
  EXPECT_FALSE(panel.answer->nothing_better);
}

TEST(Answer, IsAboutTheFreeLineWhereNothingIsBelowIt) {
  std::vector<RunRecord> runs;
  add_coin(runs);
  runs.push_back(RunOf{"sketch", 1.0, 2, 0.235, 0.05});
  runs.push_back(RunOf{"sketch", 1.0, 4, 0.26, 0.02});
  const ReportPanel panel = panel_of(runs);
  ASSERT_TRUE(panel.answer);
  EXPECT_EQ(panel.curves[panel.answer->curve].method, "coin");
  EXPECT_TRUE(panel.answer->nothing_better);
}

TEST(Answer, IsNotAboutAModelThatIsNoFairerThanOneWithoutRegardToFairness) {
  std::vector<RunRecord> runs;
  add_coin(runs);
  runs.push_back(RunOf{"erm", {}, 0, 0.15, 0.20});
  runs.push_back(RunOf{"dp-fermi", 1.0, 0, 0.15, 0.1998});
  runs.push_back(RunOf{"dp-fermi", 1.0, 2, 0.24, 0.05});
  EXPECT_TRUE(panel_of(runs).answer->nothing_better);
  runs.push_back(RunOf{"dp-fermi", 1.0, 1, 0.152, 0.19});
  const ReportPanel panel = panel_of(runs);
  EXPECT_EQ(panel.curves[panel.answer->curve].method, "dp-fermi");
  EXPECT_DOUBLE_EQ(panel.answer->violation.mean, 0.19);
}

/// A constant errs on a quarter.
constexpr double kFavourable = 0.75;

TEST(Answer, IsNeverAboutAModelAboveTheFreeLineThoughTheSweepHasNoCoin) {
  std::vector<RunRecord> runs = {with_labels(RunOf{"erm", {}, 0, 0.15, 0.20}, kFavourable),
                                 with_labels(RunOf{"pf-ld", 1.0, 8, 0.26, 0.001}, kFavourable),
                                 with_labels(RunOf{"sketch", 1.0, 2, 0.235, 0.05}, kFavourable),
                                 with_labels(RunOf{"sketch", 1.0, 4, 0.245, 0.02}, kFavourable)};
  // The line follows from the runs, and is the answer.
  ASSERT_TRUE(panel_of(runs).answer);
  EXPECT_TRUE(panel_of(runs).answer->nothing_better);
  runs.push_back(with_labels(RunOf{"dp-fermi", 1.0, 1, 0.17, 0.10}, kFavourable));
  const ReportPanel panel = panel_of(runs);
  ASSERT_TRUE(panel.answer);
  EXPECT_EQ(panel.curves[panel.answer->curve].method, "dp-fermi");
}

TEST(Answer, IsNeverAboutAModelWorseThanTheConstantThoughNoModelIgnoresFairness) {
  std::vector<RunRecord> runs = {with_labels(RunOf{"pf-ld", 1.0, 8, 0.26, 0.001}, kFavourable),
                                 with_labels(RunOf{"pf-ld", 1.0, 9, 0.27, 0.0005}, kFavourable)};
  EXPECT_FALSE(panel_of(runs).answer);
  runs.push_back(with_labels(RunOf{"sketch", 1.0, 2, 0.2, 0.05}, kFavourable));
  const ReportPanel panel = panel_of(runs);
  ASSERT_TRUE(panel.answer);
  EXPECT_EQ(panel.curves[panel.answer->curve].method, "sketch");
}

TEST(Answer, IsNeverAboutAModelAboveTheLineWhateverTheFigures) {
  std::mt19937 bits(7);
  const auto draw = [&](double low, double high) {
    return low + (high - low) * static_cast<double>(bits() % 1000) / 1000;
  };
  std::size_t about_models = 0;
  for (int sweep = 0; sweep < 300; ++sweep) {
    const double plain = draw(0.05, 0.2);
    const double gap = draw(0.05, 0.5);
    std::vector<RunRecord> runs;
    for (std::uint32_t split = 0; split < 3; ++split) {
      const double constant = draw(0.2, 0.45);
      const auto add = [&](const std::string& method, std::optional<double> epsilon, double lambda,
                           double error, double violation) {
        runs.push_back(
            with_labels(RunOf{method, epsilon, lambda, error, violation, split}, 1 - constant));
      };
      add("erm", {}, 0, plain + draw(0, 0.02), gap);
      for (const char* method : {"auto", "pf-ld"}) {
        for (double lambda = 1; lambda < 4; ++lambda) {
          add(method, 1.0, lambda, draw(plain, 0.5), draw(0, gap));
        }
      }
    }
    const ReportPanel panel = panel_of(runs);
    ASSERT_TRUE(panel.answer);
    const Answer& answer = *panel.answer;
    EXPECT_TRUE(answer.line_known);
    if (answer.nothing_better) {
      EXPECT_EQ(panel.curves[answer.curve].method, "coin");
      continue;
    }
    ++about_models;
    const auto above = above_line(panel.curves[answer.curve].models[answer.model],
                                  free_lines(panel.curves, ViolationOf::kTest), ViolationOf::kTest);
    EXPECT_LE(above->excess.mean, 0);
    EXPECT_LT(above->over_constant.mean, 0);
  }
  EXPECT_GT(about_models, 30U);
  EXPECT_LT(about_models, 300U);
}

TEST(Answer, SaysWhereTheFreeLineIsNotKnown) {
  std::vector<RunRecord> runs;
  add_curve(runs, "dp-fermi", 1.0, 0.155);
  EXPECT_FALSE(panel_of(runs).answer->line_known);
  add_coin(runs);
  EXPECT_TRUE(panel_of(runs).answer->line_known);
}

TEST(Answer, ComparesAtEqualViolationAndSortsByError) {
  std::vector<RunRecord> runs;
  add_curve(runs, "dp-fermi", 1.0, 0.155);
  add_curve(runs, "dp-fermi", 0.5, 0.170);
  add_curve(runs, "fermi", {}, 0.150);
  runs.push_back(RunOf{"published-code", {}, 0, 0.15, 0.3});
  runs.push_back(RunOf{"published-code", {}, 1, 0.16, 0.2});
  const ReportPanel panel = panel_of(runs);
  std::vector<std::string> order;
  for (const MatchedCurve& one : panel.answer->matched) {
    order.push_back(panel.curves[one.curve].name());
  }
  EXPECT_THAT(order, testing::ElementsAre("fermi", "dp-fermi, epsilon 1", "dp-fermi, epsilon 0.5",
                                          "published-code"));
  EXPECT_FALSE(panel.answer->matched.back().error);  // never below .2
  EXPECT_DOUBLE_EQ(panel.answer->matched.back().least_violation, 0.2);
}

TEST(Answer, IsNeverAboutAClaim) {
  std::vector<RunRecord> runs;
  add_curve(runs, "dp-fermi-paper", 1.0, 0.100);
  for (RunRecord& run : runs) run.privacy->cost = PrivacyCost{9.6, 1e-9};
  add_curve(runs, "dp-fermi", 3.0, 0.155);
  const ReportPanel panel = panel_of(runs);
  EXPECT_EQ(panel.curves[panel.answer->curve].method, "dp-fermi");
}

TEST(Answer, IsAboutAFairMethodWhereNoneIsPrivate) {
  std::vector<RunRecord> runs;
  add_curve(runs, "fermi", {}, 0.150);
  const ReportPanel panel = panel_of(runs);
  EXPECT_EQ(panel.curves[panel.answer->curve].method, "fermi");
  EXPECT_FALSE(panel.answer->without_privacy);
  EXPECT_FALSE(panel_of({RunOf{"erm", {}, 0, 0.15, 0.2}}).answer);
}

TEST(Answer, NamesThePublishedMeansOfTheSameEpsilon) {
  std::vector<RunRecord> runs;
  add_curve(runs, "dp-fermi", 1.0, 0.155);
  const ReportPanel panel = summarise(results_of(runs)).panels.front();
  ASSERT_TRUE(panel.answer->published);
  // At the gap .05, between the paper's points at lambda 1.5 and 1.
  EXPECT_GT(panel.answer->published->mean, 0.165);
  EXPECT_LT(panel.answer->published->mean, 0.190);
}

}  // namespace
}  // namespace dpfermi
