// Replays in full, 200 of them with other streams, on every case in turn. They are deterministic:
// no false alarm is allowed for. (tests/audit/tiers_statistical_test.cc does the same for the tiers
// that have a false-alarm rate.)

#include <gtest/gtest.h>

#include "audit/replay.h"

namespace dpfermi {
namespace {

TEST(Replay, IsGreenTwoHundredTimes) {
  const std::vector<AuditCase> cases = private_cases(20);
  for (std::uint64_t repetition = 0; repetition < 200; ++repetition) {
    const AuditCase& audited = cases[repetition % cases.size()];
    const auto findings = replay_tier(audited, {.quick = true, .seed = 1000 + repetition});
    ASSERT_TRUE(findings.has_value()) << findings.error().message;
    for (const Finding& finding : *findings) {
      EXPECT_EQ(finding.verdict, Verdict::kGreen)
          << repetition << ", " << audited.name << ": " << finding.attempt << ": "
          << finding.observed << " " << finding.note;
    }
  }
}

}  // namespace
}  // namespace dpfermi
