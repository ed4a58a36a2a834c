#include "report/report_page.h"

#include <gmock/gmock.h>

#include "experiment/public_figures.h"
#include "experiment/summary.h"
#include "report/fixtures.h"
#include "report/html.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string page_of(const SweepResults& results) {
  const Result<std::string> page = report_page(summarise(results));
  EXPECT_TRUE(page) << page.error().message;
  return *page;
}

SweepResults small_results() {
  return results_of({RunOf{"dp-fermi", 1.0, 0, 0.155, 0.20}, RunOf{"dp-fermi", 1.0, 1, 0.165, 0.05},
                     RunOf{"erm", {}, 0, 0.149, 0.21}});
}

TEST(EscapeHtml, LeavesNoMarkup) {
  EXPECT_EQ(escape_html("<a href=\"x\" b='y'>&</a>"),
            "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;&lt;/a&gt;");
  EXPECT_EQ(escape_html("Zoë 群组"), "Zoë 群组");
  EXPECT_EQ(escape_html("a\x01\xFFz"), "a\xEF\xBF\xBD\xEF\xBF\xBDz");
}

TEST(ScriptJson, CannotEndItsElement) {
  EXPECT_EQ(script_json("[\"</script><!-- &\"]"), "[\"\\u003c/script\\u003e\\u003c!-- \\u0026\"]");
}

TEST(FillTemplate, DoesNotLookAtValuesAgain) {
  EXPECT_EQ(fill_template("{{a}} and {{b}}", {{"a", "{{b}}"}, {"b", "x"}}), "{{b}} and x");
}

TEST(ReportPage, AnswersInWords) {
  const std::string page = page_of(small_results());
  EXPECT_THAT(
      page, HasSubstr("<strong>dp-fermi</strong> at <strong>ε = 1</strong> brings the gap "
                      "between groups from 21.0 to <strong>5.0\u00A0points</strong> and costs "
                      "<strong>1.6\u00A0points</strong> of accuracy (16.5\u00A0% wrong instead of "
                      "14.9\u00A0%)"));
  EXPECT_THAT(page, HasSubstr("research: each run stands alone"));
  EXPECT_THAT(page, HasSubstr("exact, not private"));
}

TEST(ReportPage, HoldsEveryNumberInATable) {
  const std::string page = page_of(small_results());
  EXPECT_THAT(page, HasSubstr("<td>dp-fermi, ε = 1<td>1<td>1<td>16.50<td>5.00"));
  EXPECT_THAT(page, HasSubstr("f 20.0, m 25.0"));
  EXPECT_THAT(page, HasSubstr("<th scope=\"col\">precision %<th scope=\"col\">recall %"));
  EXPECT_THAT(page, HasSubstr("epsilon = 1, delta = 1e-06 (PLD, certified upper bound)"));
}

TEST(ReportPage, HoldsPerformanceOfAllRowsAndOfEveryGroup) {
  RunRecord run = RunOf{"fermi", {}, 1, 0.165, 0.05};
  run.test.performance = Performance{0.8125, 0.3, 0.525, 0.675, 0.2, {{100, 0.25, 0.375}}};
  run.test.fairness->groups[1].performance =
      Performance{0.75, 0.25, 0.5, 0.5, 0.125, {{50, 0.0625, 0.875}}};
  const std::string page = page_of(results_of({run}));
  EXPECT_THAT(page, HasSubstr("<td>30.00<td>52.50<td>67.50<td>0.812<td>0.200"));
  EXPECT_THAT(page, HasSubstr("\"calibration\":[[100.0,0.25,0.375]]"));
  EXPECT_THAT(page,
              HasSubstr("\"auc\":0.75,\"brier\":0.125,\"calibration\":[[50.0,0.0625,0.875]]"));
}

TEST(ReportPage, NeedsNothingElse) {
  const std::string page = page_of(small_results());
  EXPECT_THAT(page, HasSubstr("default-src 'none'"));
  EXPECT_THAT(page, Not(HasSubstr("sourceMappingURL")));
  EXPECT_THAT(page, HasSubstr("University of Washington Interactive Data Lab"));
  EXPECT_LT(page.size(), 1500000U);
}

TEST(ReportPage, EscapesWhateverComesFromData) {
  SweepResults results = small_results();
  const std::string evil = "</script><script>alert(1)</script>\"'&";
  results.description.title = evil;
  results.description.command = evil;
  for (RunRecord& run : results.runs) {
    run.spec.dataset = evil;
    run.spec.method += evil;
    run.groups[0] = evil;
    if (run.privacy) run.privacy->assumptions = {evil};
  }
  EXPECT_THAT(page_of(results), Not(HasSubstr("<script>alert")));
}

TEST(ReportPage, SaysWhereASweepIsNotFinished) {
  SweepResults results = small_results();
  EXPECT_THAT(page_of(results), Not(HasSubstr("unfinished sweep")));
  results.complete = false;
  EXPECT_THAT(page_of(results), HasSubstr("unfinished sweep"));
}

TEST(PublicPage, ShowsErrorsAndStatementsAndNothingExact) {
  SweepResults results =
      results_of({RunOf{"dp-fermi", 1.0, 1, 0.1651, 0.0533}, RunOf{"erm", {}, 0, 0.1491, 0.2177},
                  RunOf{"fermi", {}, 1, 0.1577, 0.0311}, RunOf{"hardt", {}, 1, 0.1433, 0.0211}});
  results.description.stamp = kChargedStamp;
  results.description.title = "<b>people</b>";
  results.runs[0].spec.target = 0.05;
  results.runs[0].released = {0.0471, true};
  PrivacyStatement nothing;
  nothing.cost = PrivacyCost{0, 0};
  results.runs[1].privacy = nothing;
  const std::string page = public_page(results).value();
  for (const char* shown : {"0.1651", "0.1491", "0.0471", "1 of 1", kChargedStamp, "epsilon = 1,",
                            "&lt;b&gt;people&lt;/b&gt;", "default-src 'none'"}) {
    EXPECT_THAT(page, HasSubstr(shown));
  }
  // Gaps, rates of groups, errors of models that read s without noise or need it to decide.
  for (const char* hidden :
       {"0.0533", "0.2177", "0.0311", "0.0211", "0.1577", "0.1433", "25.3", "<b>people", "{{"}) {
    EXPECT_THAT(page, Not(HasSubstr(hidden)));
  }
}

// 0.50004 is not certified to be 0.5.
TEST(ReportPage, RoundsWhatIsCertifiedUp) {
  SweepResults results = results_of({RunOf{"dp-fermi", 0.5, 1, 0.165, 0.05}});
  results.runs[0].privacy->cost = PrivacyCost{0.50004, 1.0001e-6};
  EXPECT_THAT(page_of(results), HasSubstr("ε = 0.5001, δ = 1.01e-06"));
  const std::vector<PublicPanel> panels = public_panels(results.runs);
  EXPECT_EQ(public_cells(panels.front().models.front())[2], "0.5001");
  EXPECT_THAT(to_markdown(summarize(results), SummaryTable::kClaims, ViolationOf::kTest, {}),
              HasSubstr("| dp-fermi | 0.5 | 0.5001 |"));
  results.runs[0].privacy->cost.reset();
  results.runs[0].privacy->cost_given_shares = PrivacyCost{0.50004, 1e-6};
  EXPECT_THAT(page_of(results), HasSubstr("(ε = 0.5001 if group shares were public)"));
}

TEST(PublicPage, ShowsNoErrorsWhereRecordsAreProtected) {
  SweepResults results = results_of({RunOf{"dp-fermi", 1.0, 1, 0.1651, 0.0533}});
  results.runs[0].privacy->adjacency = Adjacency::kReplaceRecord;
  const std::string page = public_page(results).value();
  EXPECT_THAT(page, Not(HasSubstr("0.1651")));
  EXPECT_THAT(page, HasSubstr("everything about one record"));
}

TEST(PublicFigures, HoldNothingThatAnAttackerCouldTryGuessesAgainst) {
  SweepResults results = results_of({RunOf{"dp-fermi", 1.0, 1, 0.1651, 0.0533}});
  results.description.tables["adult/honest"] = "0123456789abcdef";
  const std::string json = public_json(results);
  EXPECT_THAT(json, HasSubstr("0.1651"));
  EXPECT_THAT(json, HasSubstr("\"exact_not_private\": false"));
  EXPECT_THAT(json, Not(HasSubstr("0123456789abcdef")));
  EXPECT_THAT(json, Not(HasSubstr("0.0533")));
}

}  // namespace
}  // namespace dpfermi
