// The correct build is green, again and again. Seeds are fixed, so the outcome is too; were they
// drawn anew, each repetition would raise a false alarm with probability at most 1e-4 (the split is
// that of AuditOptions: tiers, cases, tests), all of them together at most 0.02.

#include <gtest/gtest.h>

#include "dpfermi/audit/audit.h"

namespace dpfermi {
namespace {

/// Repetition i audits case i modulo their number with every tier: T0 in full, the statistical
/// tiers in their short form.
TEST(Audit, IsGreenTwoHundredTimes) {
  std::vector<AuditCase> cases = standard_cases(40);
  std::erase_if(cases, [](const AuditCase& audited) {
    return audited.request.method == Method::kDpFermiPaper;
  });
  const std::vector<TierEntry> tiers = audit_tiers();
  for (std::uint64_t repetition = 0; repetition < 200; ++repetition) {
    const AuditCase& audited = cases[repetition % cases.size()];
    const auto report = audit({&audited, 1}, tiers, {.quick = true, .seed = 1000 + repetition});
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_LE(report->false_alarm_rate, 1.0001e-4);
    for (const Finding& finding : report->findings) {
      EXPECT_EQ(finding.verdict, Verdict::kGreen)
          << repetition << ": " << to_string(finding.tier) << ", " << finding.attempt << ": "
          << finding.observed << " " << finding.note;
    }
  }
}

}  // namespace
}  // namespace dpfermi
