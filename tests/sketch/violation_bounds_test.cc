#include "sketch/violation_bounds.h"

#include <gtest/gtest.h>

namespace dpfermi {
namespace {

/// Two groups whose rates are .2 and .5, known to within .01 where they are known at all.
NoisyRates two_rates(bool first, bool second) {
  return {{{.2, .01}, {.5, .01}}, {first, second}};
}

TEST(ViolationInterval, IsAbsentWhereNoiseHidesAllButOneGroup) {
  const FairnessSetting parity{FairnessNotion::kDemographicParity, 2, 2, 1};
  EXPECT_FALSE(violation_interval(parity, two_rates(false, false)));
  EXPECT_FALSE(violation_interval(parity, two_rates(true, false)));
  const auto compared = violation_interval(parity, two_rates(true, true));
  ASSERT_TRUE(compared);
  EXPECT_LT(compared->low, .3);
  EXPECT_GT(compared->high, .3);
  EXPECT_NEAR(compared->high - compared->low, 4 * 1.96 * .01, 1e-3);
}

TEST(ViolationInterval, OneComparedConditionSuffices) {
  const FairnessSetting odds{FairnessNotion::kEqualizedOdds, 2, 2, 1};
  const NoisyRates rates{{{.2, .01}, {.5, .01}, {0, 0}, {0, 0}}, {true, true, true, false}};
  EXPECT_TRUE(violation_interval(odds, rates));
}

}  // namespace
}  // namespace dpfermi
