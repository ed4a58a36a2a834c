#include "evaluate/rate_interval.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dpfermi {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

/// The law of the sum of `cells` discrete Gaussians, on -reach .. reach.
std::vector<double> law_of_sum(double sigma, int cells, int reach) {
  std::vector<double> one(2 * static_cast<std::size_t>(reach) + 1);
  double mass = 0;
  for (int x = -reach; x <= reach; ++x) {
    const double weight = std::exp(-x * x / (2 * sigma * sigma));
    one[static_cast<std::size_t>(x + reach)] = weight;
    mass += weight;
  }
  for (double& p : one) p /= mass;
  std::vector<double> sum(one.size());
  sum[static_cast<std::size_t>(reach)] = 1;
  for (int i = 0; i < cells; ++i) {
    std::vector<double> next(sum.size());
    for (int a = -reach; a <= reach; ++a) {
      const double p = sum[static_cast<std::size_t>(a + reach)];
      if (p < 1e-18) continue;
      for (int b = std::max(-reach, -reach - a); b <= std::min(reach, reach - a); ++b) {
        next[static_cast<std::size_t>(a + b + reach)] +=
            p * one[static_cast<std::size_t>(b + reach)];
      }
    }
    sum = std::move(next);
  }
  return sum;
}

/// P(|(1-p) A - p B| > width), A and B sums of discrete Gaussians.
double tail(const std::vector<double>& a, const std::vector<double>& b, double p, double width) {
  const int reach = static_cast<int>(a.size() / 2);
  double sum = 0;
  for (int x = -reach; x <= reach; ++x) {
    for (int y = -reach; y <= reach; ++y) {
      if (std::abs((1 - p) * x - p * y) > width) {
        sum += a[static_cast<std::size_t>(x + reach)] * b[static_cast<std::size_t>(y + reach)];
      }
    }
  }
  return sum;
}

// Integers are not normal: half a step more makes up for it, at every p. Exact sums, no draws.
TEST(RateInterval, MissesNoOftenerThanPromisedOnTheIntegers) {
  for (const double sigma : {1.0, 1.3, 3.0}) {
    for (const auto& [yes, no] : {std::pair(1, 1), std::pair(1, 3), std::pair(2, 2)}) {
      const int reach = static_cast<int>(7 * sigma * std::sqrt(3.0)) + 2;
      const auto a = law_of_sum(sigma, yes, reach);
      const auto b = law_of_sum(sigma, no, reach);
      for (const double alpha : {0.05, 0.003, 1e-4}) {
        const double z = two_sided_quantile(alpha);
        for (double p = 0; p <= 1; p += 0.05) {
          const double sd = sigma * std::sqrt((1 - p) * (1 - p) * yes + p * p * no);
          EXPECT_LE(tail(a, b, p, z * sd + 0.5), alpha * (1 + 1e-3))
              << sigma << ' ' << yes << ' ' << no << ' ' << p;
        }
      }
    }
  }
}

TEST(RateInterval, IsFiellersForPlainNumbers) {
  // (50 - 200 p)^2 = 9 (100 p^2 + 100 (1-p)^2), solved by hand.
  const TableNoise noise{10, 1, 0, 0};
  const Interval interval = rate_interval({50, 1, kNoLimit}, {150, 1, kNoLimit}, noise, 3, 0);
  const double a = 200 * 200 - 1800;
  const double b = 2 * 50 * 200 - 1800;
  const double c = 2500 - 900;
  const double root = std::sqrt(b * b - 4 * a * c);
  EXPECT_NEAR(interval.low, (b - root) / (2 * a), 1e-12);
  EXPECT_NEAR(interval.high, (b + root) / (2 * a), 1e-12);
}

TEST(RateInterval, SaysNothingWhereTheNoiseIsAsLargeAsTheGroup) {
  const TableNoise noise{10, 1, 0, 0.5};
  for (const double yes : {-12.0, 0.0, 3.0, 9.0}) {
    for (const double no : {-9.0, 0.0, 14.0}) {
      const Interval interval = rate_interval({yes, 1, kNoLimit}, {no, 1, kNoLimit}, noise, 3, 0);
      EXPECT_EQ(interval.low, 0);
      EXPECT_EQ(interval.high, 1);
    }
  }
}

TEST(RateInterval, KnowsWhatPublicTotalsAllow) {
  // Three units at most were decided for, whatever the noise says.
  const TableNoise noise{10, 0.5, 0, 0.5};
  const Interval interval = rate_interval({14, 1, 3}, {500, 1, 900}, noise, 3, 450);
  EXPECT_EQ(interval.low, 0);
  EXPECT_NEAR(interval.high, 3.0 / 450, 1e-12);
  const Interval count = count_interval({14, 1, 3}, noise, 3);
  EXPECT_EQ(count.low, 0);
  EXPECT_EQ(count.high, 3);
}

TEST(RateInterval, WithoutNoiseIsThePoint) {
  const Interval interval = rate_interval({30, 0, 30}, {70, 0, 70}, {10, 1, 0, 0}, 3, 100);
  EXPECT_NEAR(interval.low, 0.3, 1e-12);
  EXPECT_NEAR(interval.high, 0.3, 1e-12);
}

TEST(PopulationInterval, WithoutNoiseIsClopperPearson) {
  // scipy.stats.binomtest(3, 10).proportion_ci(0.95, "exact")
  const Interval interval = population_interval({3, 0, 3}, {7, 0, 7}, {10, 1, 0, 0}, 3, 0.05);
  EXPECT_NEAR(interval.low, 0.06673951117773445, 1e-12);
  EXPECT_NEAR(interval.high, 0.6524528500599972, 1e-12);
}

TEST(PopulationInterval, GrowsWithTheNoise) {
  Interval last =
      population_interval({300, 0, kNoLimit}, {700, 0, kNoLimit}, {1, 1, 0, 0}, 3, 0.01);
  for (const double sigma : {1.0, 5.0, 50.0, 500.0}) {
    const Interval next =
        population_interval({300, 1, kNoLimit}, {700, 1, kNoLimit}, {sigma, 1, 0, 0.5}, 3, 0.01);
    EXPECT_LT(next.low, last.low);
    EXPECT_GT(next.high, last.high);
    last = next;
  }
}

}  // namespace
}  // namespace dpfermi
