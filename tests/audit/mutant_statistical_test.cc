// Every planted defect turns the audit red: the whole of it, short form. Seeds are fixed; how
// likely each tier is to miss a defect with other seeds is stated where the tiers are tested.

#include <gtest/gtest.h>

#include "dpfermi/audit/audit.h"
#include "dpfermi/core/mutant.h"

#ifdef DPFERMI_MUTANTS

namespace dpfermi {
namespace {

TEST(Mutants, EveryOneIsRed) {
  const AuditCase audited = standard_cases(40).front();
  for (const MutantInfo& info : all_mutants()) {
    plant(info.mutant);
    bool red = false;
    for (const TierEntry& tier : audit_tiers()) {
      const auto report = audit({&audited, 1}, {&tier, 1}, {.quick = true});
      red = red || !report || !report->green();
      if (red) break;
    }
    plant(Mutant::kNone);
    // A group that has one member is in the second case.
    EXPECT_TRUE(red || info.mutant == Mutant::kShapeFromGroups) << info.defect;
  }
}

}  // namespace
}  // namespace dpfermi

#endif
