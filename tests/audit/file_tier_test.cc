#include "audit/file_tier.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "audit/front_door_rehearsal.h"
#include "audit/release_tape.h"

namespace dpfermi {
namespace {

constexpr std::uint64_t kFrontDoorSteps = 6;

class FrontDoorOf : public testing::TestWithParam<std::size_t> {};

TEST_P(FrontDoorOf, TheCorrectBuildIsGreen) {
  const AuditCase audited = standard_cases(kFrontDoorSteps)[GetParam()];
  ASSERT_TRUE(file_applies(audited));
  const auto findings = file_tier(audited, {.quick = true});
  ASSERT_TRUE(findings.has_value()) << findings.error().message;
  bool files = false;
  for (const Finding& finding : *findings) {
    EXPECT_EQ(finding.verdict, Verdict::kGreen)
        << finding.attempt << ": " << finding.observed << " " << finding.note;
    files = files || finding.attempt.find("files") != std::string::npos;
  }
  EXPECT_TRUE(files);
}

// Parity and persons of dp-fermi under each adjacency, and of the sketch.
INSTANTIATE_TEST_SUITE_P(StandardCases, FrontDoorOf,
                         testing::Values<std::size_t>(0, 2, 4, 6, 8, 10, 12, 14));

// Every generated case but the paper's, those with weights and with scores of the table included.
TEST(FrontDoor, IsTriedOnEveryGeneratedCase) {
  for (const AuditCase& audited : standard_cases(kFrontDoorSteps)) {
    EXPECT_EQ(file_applies(audited), audited.request.method != Method::kDpFermiPaper)
        << audited.name;
  }
}

/// The first generated case that has such a column.
AuditCase case_with(std::vector<float> Dataset::*column) {
  std::vector<AuditCase> cases = standard_cases(kFrontDoorSteps);
  return *std::ranges::find_if(
      cases, [&](const AuditCase& audited) { return !(audited.data.*column).empty(); });
}

TEST(FrontDoor, WeightsAndScoresAreColumnsOfTheTable) {
  const AuditCase weighted = case_with(&Dataset::weights);
  const InventedTable table = table_of(weighted, weighted.data);
  EXPECT_EQ(table.schema.weight, "weight");
  EXPECT_THAT(table.text, testing::HasSubstr(",1000000,"));
  const AuditCase scored = case_with(&Dataset::scores);
  EXPECT_EQ(table_of(scored, scored.data).schema.scores.size(), scored.data.classes);
  for (const AuditCase& audited : {weighted, scored}) {
    const auto findings = file_tier(audited, {.quick = true});
    ASSERT_TRUE(findings.has_value()) << findings.error().message;
    for (const Finding& finding : *findings) {
      EXPECT_EQ(finding.verdict, Verdict::kGreen)
          << finding.attempt << ": " << finding.observed << " " << finding.note;
    }
  }
}

TEST(FrontDoor, ShowsFilesCardsFiguresAndRemarks) {
  const AuditCase audited = standard_cases(kFrontDoorSteps).front();
  ReleaseTape tape(0);
  const auto run = rehearse_front_door(audited, table_of(audited, audited.data), 1, tape);
  ASSERT_TRUE(run.has_value());
  ASSERT_TRUE(run->outcome.has_value()) << run->outcome.error().message;
  std::vector<std::string> names;
  for (const auto& [name, bytes] : run->files) {
    names.push_back(name);
    EXPECT_TRUE(!bytes.empty() || name == "remarks") << name;
  }
  EXPECT_THAT(names,
              testing::ElementsAre("split and encoding", "the model file", "the model's card",
                                   "remarks", "the sketch file", "the sketch's card",
                                   "private figures", "the figures' statement"));
  // Group counts, steps, queries, the sketch, and counts for the figures.
  const auto plan = plan_training(audited.request, audited.data, audited.favourable);
  ASSERT_TRUE(plan.has_value()) << plan.error().message;
  EXPECT_EQ(tape.counts().size(), 2U);
  EXPECT_EQ(tape.sums().size(), kFrontDoorSteps + plan->queries + 1);
  EXPECT_EQ(run->plans.size(), 3U);
}

// Without the releases of the first run the files of a second one differ: the comparison can fail.
TEST(FrontDoor, FilesFollowFromTheReleases) {
  const AuditCase audited = standard_cases(kFrontDoorSteps).front();
  const InventedTable table = table_of(audited, audited.data);
  ReleaseTape one(0);
  ReleaseTape other(0);
  const auto first = rehearse_front_door(audited, table, 1, one);
  const auto second = rehearse_front_door(audited, table, 2, other);
  for (const std::size_t file : {1, 4, 6}) EXPECT_NE(first->files[file], second->files[file]);
}

}  // namespace
}  // namespace dpfermi
