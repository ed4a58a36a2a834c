#include "audit/neighbours.h"

#include <gmock/gmock.h>

#include <set>

namespace dpfermi {
namespace {

constexpr std::uint64_t kNoSteps = 1;

// First and last always, every other one for some seed, in the short search too.
TEST(Neighbours, AttackEveryPlace) {
  const AuditCase audited = standard_cases(kNoSteps).front();
  std::set<std::uint32_t> attacked;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    std::set<std::uint32_t> now;
    for (const Neighbours& pair : neighbours_of(audited, true, seed)) now.insert(pair.unit);
    EXPECT_TRUE(now.contains(0));
    EXPECT_TRUE(now.contains(static_cast<std::uint32_t>(audited.data.unit_count - 1)));
    attacked.insert(now.begin(), now.end());
  }
  EXPECT_EQ(attacked.size(), audited.data.unit_count);
}

TEST(Neighbours, MoveAUnitToEveryOtherGroup) {
  const AuditCase audited = standard_cases(kNoSteps)[1];
  std::size_t flips = 0;
  for (const Neighbours& pair : neighbours_of(audited, true, 1)) {
    flips += pair.unit == 0 && pair.as_planned ? 1 : 0;
  }
  EXPECT_EQ(flips, audited.data.groups - 1);
}

}  // namespace
}  // namespace dpfermi
