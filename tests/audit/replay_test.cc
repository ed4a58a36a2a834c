#include "audit/replay.h"

#include <gmock/gmock.h>

#include "audit/network_case.h"

namespace dpfermi {
namespace {

constexpr std::uint64_t kReplaySteps = 6;

std::string all_red(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    if (finding.verdict == Verdict::kGreen) continue;
    text += finding.subject + ": " + finding.attempt + ": " + finding.observed + " (" +
            finding.note + ")\n";
  }
  return text;
}

class ReplayOf : public testing::TestWithParam<std::size_t> {};

TEST_P(ReplayOf, TheCorrectBuildIsGreen) {
  const AuditCase audited = standard_cases(kReplaySteps)[GetParam()];
  const auto findings = replay_tier(audited, {.quick = true});
  ASSERT_TRUE(findings.has_value()) << findings.error().message;
  EXPECT_EQ(all_red(*findings), "") << audited.name << " " << to_string(audited.request.adjacency);
  EXPECT_GE(findings->size(), 9U);
}

INSTANTIATE_TEST_SUITE_P(StandardCases, ReplayOf, testing::Range<std::size_t>(0, 12));

/// A model that is held elsewhere: the sum comes from outside the mechanism.
class ReplayOfNetwork : public testing::TestWithParam<std::size_t> {};

TEST_P(ReplayOfNetwork, TheCorrectBuildIsGreen) {
  const AuditCase audited = testing_support::network_case(standard_cases(kReplaySteps)[GetParam()]);
  const auto findings = replay_tier(audited, {.quick = true});
  ASSERT_TRUE(findings.has_value()) << findings.error().message;
  EXPECT_EQ(all_red(*findings), "") << audited.name << " " << to_string(audited.request.adjacency);
  EXPECT_GE(findings->size(), 9U);
}

// Parity and odds, under each adjacency.
INSTANTIATE_TEST_SUITE_P(StandardCases, ReplayOfNetwork,
                         testing::Values<std::size_t>(0, 1, 4, 5, 8, 9));

TEST(Replay, ThePaperClaimsMoreThanItKeeps) {
  for (const AuditCase& audited : standard_cases(kReplaySteps)) {
    if (audited.request.method != Method::kDpFermiPaper) continue;
    const auto findings = replay_tier(audited, {.quick = true});
    ASSERT_TRUE(findings.has_value()) << findings.error().message;
    for (const Finding& finding : *findings) {
      const bool gap = finding.attempt.find("price") != std::string::npos ||
                       finding.attempt.find("group shares moved") != std::string::npos;
      EXPECT_TRUE(!gap || finding.verdict == Verdict::kRed) << finding.attempt;
    }
  }
}

}  // namespace
}  // namespace dpfermi
