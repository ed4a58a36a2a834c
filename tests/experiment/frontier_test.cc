#include "experiment/frontier.h"

#include <gmock/gmock.h>

#include <cmath>

namespace dpfermi {
namespace {

using ::testing::ElementsAre;

// In the order of a growing lambda; points 1 and 4 are beaten in both.
const std::vector<TradeOffPoint> kCurve = {
    {0.20, 0.10}, {0.22, 0.11}, {0.10, 0.12}, {0.00, 0.20}, {0.05, 0.21}};

std::vector<double> errors(std::span<const TradeOffPoint> points) {
  std::vector<double> all;
  for (const TradeOffPoint& point : points) all.push_back(point.error);
  return all;
}

TEST(Frontier, LeavesOutWhatIsBeaten) {
  EXPECT_THAT(pareto_frontier(kCurve), ElementsAre(3, 2, 0));
  EXPECT_THAT(pareto_frontier(std::vector<TradeOffPoint>{{0.1, 0.3}, {0.1, 0.2}}), ElementsAre(1));
}

TEST(Frontier, MixesNeighbours) {
  const std::vector<double> error = errors(kCurve);
  EXPECT_NEAR(mixture_at(kCurve, 0.05)->of(error), 0.16, 1e-12);
  EXPECT_NEAR(mixture_at(kCurve, 0.10)->of(error), 0.12, 1e-12);
  EXPECT_NEAR(mixture_at(kCurve, 0.15)->of(error), 0.11, 1e-12);
  EXPECT_NEAR(mixture_at(kCurve, 0.50)->of(error), 0.10, 1e-12);
  EXPECT_FALSE(mixture_at(std::span(kCurve).first(2), 0.19).has_value());
  EXPECT_FALSE(mixture_at({}, 0.19).has_value());
}

TEST(Frontier, SlopeIsThatOfTheSegment) {
  EXPECT_NEAR(slope_at(kCurve, *mixture_at(kCurve, 0.05)), -0.8, 1e-12);
  EXPECT_NEAR(slope_at(kCurve, *mixture_at(kCurve, 0.15)), -0.2, 1e-12);
  EXPECT_EQ(slope_at(kCurve, *mixture_at(kCurve, 0.5)), 0);
}

// Whatever the points: no point beats the interpolated frontier, and it never rises.
TEST(Frontier, NothingBeatsItAndItFalls) {
  std::uint64_t state = 1;
  const auto draw = [&] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 40) / static_cast<double>(1 << 24);
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<TradeOffPoint> points(1 + static_cast<std::size_t>(draw() * 9));
    for (TradeOffPoint& point : points) {
      // Few values, so that ties happen.
      point = {std::round(draw() * 8) / 8, std::round(draw() * 8) / 8};
    }
    const std::vector<double> error = errors(points);
    for (const TradeOffPoint& point : points) {
      const auto mixture = mixture_at(points, point.violation);
      ASSERT_TRUE(mixture.has_value());
      EXPECT_LE(mixture->of(error), point.error + 1e-12);
    }
    double last = 2;
    for (double level = 0; level <= 1.0001; level += 1.0 / 64) {
      const auto mixture = mixture_at(points, level);
      if (!mixture) continue;
      EXPECT_LE(mixture->of(error), last + 1e-12);
      last = mixture->of(error);
    }
  }
}

TEST(Estimate, HoldsMeanAndStandardError) {
  const Estimate three = estimate(std::vector<double>{1, 2, 6});
  EXPECT_NEAR(three.mean, 3, 1e-12);
  EXPECT_NEAR(three.error, std::sqrt((4.0 + 1 + 9) / 2 / 3), 1e-12);
  EXPECT_EQ(estimate(std::vector<double>{5}).error, 0);
}

}  // namespace
}  // namespace dpfermi
