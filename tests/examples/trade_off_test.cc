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

}  // namespace
}  // namespace dpfermi::examples
