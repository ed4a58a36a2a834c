// Every tier on the sketch and its residual queries: green on the correct build, with a false-alarm
// rate of 1e-4; red where a release carries half its noise. Seeds are fixed.

#include <gtest/gtest.h>

#include "audit/audit.h"
#include "audit/replay_mutants.h"
#include "core/mutant.h"

namespace dpfermi {
namespace {

std::vector<AuditCase> sketch_cases() {
  std::vector<AuditCase> cases = standard_cases(10);
  std::erase_if(cases,
                [](const AuditCase& audited) { return audited.request.method != Method::kSketch; });
  return cases;
}

AuditReport audit_sketches() {
  const std::vector<AuditCase> cases = sketch_cases();
  return audit(cases, audit_tiers(), {.quick = true}).value();
}

TEST(SketchAudit, KeepsItsPromises) {
  ASSERT_EQ(sketch_cases().size(), 6U);
  const AuditReport report = audit_sketches();
  bool games = false;
  for (const Finding& finding : report.findings) {
    EXPECT_EQ(finding.verdict, Verdict::kGreen)
        << to_string(finding.tier) << ", " << finding.subject << ": " << finding.attempt << ": "
        << finding.observed << " instead of " << finding.claimed << " " << finding.note;
    games = games || finding.tier == Tier::kAttribute;
  }
  EXPECT_TRUE(games);
}

#ifdef DPFERMI_MUTANTS
TEST(SketchAudit, HalfTheNoiseIsSeen) {
  plant(Mutant::kHalfNoise);
  const AuditReport report = audit_sketches();
  plant(Mutant::kNone);
  std::size_t noise = 0;
  std::size_t game = 0;
  for (const Finding& finding : report.findings) {
    if (finding.verdict == Verdict::kGreen) continue;
    noise += finding.tier == Tier::kNoise ? 1 : 0;
    game += finding.tier == Tier::kAttribute ? 1 : 0;
  }
  EXPECT_GT(noise, 0U);
  EXPECT_GT(game, 0U);
}

class SketchDefect : public testing::TestWithParam<Mutant> {
 protected:
  void SetUp() override { plant(GetParam()); }
  void TearDown() override { plant(Mutant::kNone); }
};

TEST_P(SketchDefect, IsSeenInTheNoise) {
  std::vector<TierEntry> tiers = audit_tiers();
  std::erase_if(tiers, [](const TierEntry& tier) { return tier.tier != Tier::kNoise; });
  const std::vector<AuditCase> cases = sketch_cases();
  EXPECT_FALSE(audit(cases, tiers, {.quick = true})->green());
}

INSTANTIATE_TEST_SUITE_P(Planted, SketchDefect,
                         testing::Values(Mutant::kLowSketchNoise, Mutant::kSketchEntryExact,
                                         Mutant::kQueriesOnSketchStream, Mutant::kBlockForgotten),
                         [](const auto& chosen) {
                           return testing_support::mutant_name(chosen.param);
                         });
#endif

}  // namespace
}  // namespace dpfermi
