#include "trade_off.h"

#include <gmock/gmock.h>

namespace dpfermi::examples {
namespace {

using ::testing::ElementsAre;

// In the order of a growing lambda; points 1 and 4 are beaten in both.
const std::vector<Point> kCurve = {
    {0.20, 0.10}, {0.22, 0.11}, {0.10, 0.12}, {0.00, 0.20}, {0.05, 0.21}};

TEST(TradeOff, FrontierLeavesOutWhatIsBeaten) {
  EXPECT_THAT(frontier(kCurve), ElementsAre(3, 2, 0));
  EXPECT_THAT(frontier(std::vector<Point>{{0.1, 0.3}, {0.1, 0.2}}), ElementsAre(1));
}

TEST(TradeOff, MixesNeighboursOnTheFrontier) {
  EXPECT_NEAR(mixture_at(kCurve, 0.05)->error(kCurve), 0.16, 1e-12);
  EXPECT_NEAR(mixture_at(kCurve, 0.10)->error(kCurve), 0.12, 1e-12);
  EXPECT_NEAR(mixture_at(kCurve, 0.15)->error(kCurve), 0.11, 1e-12);
  EXPECT_NEAR(mixture_at(kCurve, 0.50)->error(kCurve), 0.10, 1e-12);
  EXPECT_FALSE(mixture_at(std::span(kCurve).first(2), 0.19).has_value());
  EXPECT_FALSE(mixture_at({}, 0.19).has_value());
}

TEST(TradeOff, ChanceDifferencesCancelInMeanRates) {
  const Curve curve{{1, 2},
                    {{{0.04, 0.1, 0.3, {0.04, 0.01}}, {0.02, 0.2, 0.1, {-0.02, 0.0}}},
                     {{0.06, 0.3, 0.5, {-0.06, 0.03}}, {0.02, 0.2, 0.2, {0.02, 0.01}}}}};
  EXPECT_NEAR(curve.means()[0].gap, 0.05, 1e-12);
  EXPECT_NEAR(curve.means()[0].error, 0.2, 1e-12);
  EXPECT_NEAR(curve.pooled()[0].gap, 0.02, 1e-12);
  EXPECT_NEAR(curve.pooled()[1].gap, 0.005, 1e-12);
  EXPECT_NEAR(curve.pooled()[1].error, 0.2, 1e-12);
  EXPECT_NEAR(curve.on_training_rows()[0].gap, 0.4, 1e-12);
}

TEST(TradeOff, LevelsAreReachedByBoth) {
  const std::vector<Point> other = {{0.04, 0.2}, {0.16, 0.1}};
  const std::vector<double> levels = common_levels(kCurve, other, 4);
  ASSERT_EQ(levels.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(levels[i], 0.04 + 0.04 * static_cast<double>(i), 1e-12);
  }
}

}  // namespace
}  // namespace dpfermi::examples
