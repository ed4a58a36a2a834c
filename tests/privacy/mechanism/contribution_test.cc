#include "dpfermi/privacy/mechanism/contribution.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "dpfermi/privacy/mechanism/clipped_sum.h"
#include "random/uniform.h"

namespace dpfermi {
namespace {

std::vector<std::int64_t> quantise(const ContributionLayout& layout,
                                   const std::vector<double>& values) {
  std::vector<std::int64_t> lattice(layout.size(), 99);
  layout.quantise(values, lattice);
  return lattice;
}

/// Exact: the claim is about integers, so no floating point may blur it.
Uint128 squared_norm(const std::vector<std::int64_t>& lattice) {
  Uint128 sum = 0;
  for (const std::int64_t entry : lattice) {
    const auto size = static_cast<Uint128>(std::abs(entry));
    sum += size * size;
  }
  return sum;
}

ContributionLayout single(std::size_t size, double clip_norm, int bits) {
  return ContributionLayout::create({{size, clip_norm}}, bits).value();
}

TEST(Quantise, ScalesClipsAndRoundsTowardZero) {
  const ContributionLayout layout = single(3, 2.0, 10);
  EXPECT_THAT(quantise(layout, {0.5, -0.25, 0.0021}), testing::ElementsAre(255, -127, 1));
  EXPECT_THAT(quantise(layout, {0, 0, -1e-9}), testing::ElementsAre(0, 0, 0));
  const std::vector<std::int64_t> clipped = quantise(layout, {3e10, 0, -4e10});
  EXPECT_NEAR(static_cast<double>(clipped[0]), 614, 1);
  EXPECT_NEAR(static_cast<double>(clipped[2]), -819, 1);
}

TEST(Quantise, AnythingNotFiniteBecomesZero) {
  const auto layout = ContributionLayout::create({{2, 1.0}, {2, 1.0}}, 20).value();
  const double inf = INFINITY;
  const double nan = NAN;
  for (const double bad : {inf, -inf, nan, 1e200, -1.7e308}) {
    for (std::size_t where = 0; where < 4; ++where) {
      std::vector<double> values{0.1, 0.2, 0.3, 0.4};
      values[where] = bad;
      EXPECT_THAT(quantise(layout, values), testing::Each(0)) << bad;
    }
  }
}

// Property: for vectors of any length, size and shape, and at the very edge of the clipping norm,
// the integer vector has norm <= 2^bits, exactly.
TEST(Quantise, TheNormBoundSurvives) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 20000; ++trial) {
    const std::size_t size = 1 + random() % 70;
    const int bits = 1 + static_cast<int>(random() % 36);
    const double clip_norm = std::exp2(normal(random) * 20);
    std::vector<double> values(size);
    double length = 0;
    for (double& value : values) {
      value = trial % 3 == 0 ? 1.0 : normal(random) * std::exp2(normal(random) * 8);
      length += value * value;
    }
    // On the edge, one rounding to either side of it, and far outside.
    const double edge = clip_norm / std::sqrt(length);
    const double factors[] = {edge, std::nextafter(edge, 0.0), std::nextafter(edge, 1e300),
                              edge * 1e9};
    for (double& value : values) value *= factors[trial % 4];
    const auto lattice = quantise(single(size, clip_norm, bits), values);
    ASSERT_LE(squared_norm(lattice), Uint128{1} << (2 * bits)) << trial;
  }
}

TEST(Quantise, TheSharesOfSegmentsKeepTheWholeWithinOne) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(0.01, 10);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<Segment> segments;
    std::vector<double> values;
    for (std::size_t s = 0; s < 1 + random() % 5; ++s) {
      segments.push_back({1 + random() % 4, uniform(random), uniform(random)});
      for (std::size_t i = 0; i < segments.back().size; ++i)
        values.push_back(1e3 * uniform(random));
    }
    const auto layout = ContributionLayout::create(segments, 30).value();
    const Uint128 norm = squared_norm(quantise(layout, values));
    ASSERT_LE(norm, Uint128{1} << 60);
    ASSERT_GT(norm, Uint128{1} << 59);  // clipping wastes next to nothing
  }
}

TEST(Quantise, LosesLessThanOneStepPerEntry) {
  const auto layout = ContributionLayout::create({{3, 5.0, 2.0}, {2, 0.1, 1.0}}, 24).value();
  const std::vector<double> values{1.0, -2.0, 0.5, 0.03, -0.01};
  const auto lattice = quantise(layout, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double step = layout.step(i < 3 ? 0 : 1);
    EXPECT_NEAR(static_cast<double>(lattice[i]) * step, values[i], 1.001 * step);
    EXPECT_LE(std::abs(static_cast<double>(lattice[i]) * step), std::abs(values[i]));
  }
}

TEST(ContributionLayout, RefusesWhatItCannotBound) {
  EXPECT_FALSE(ContributionLayout::create({}).has_value());
  EXPECT_FALSE(ContributionLayout::create({{0, 1.0}}).has_value());
  EXPECT_FALSE(ContributionLayout::create({{3, 0.0}}).has_value());
  EXPECT_FALSE(ContributionLayout::create({{3, NAN}}).has_value());
  EXPECT_FALSE(ContributionLayout::create({{3, 1.0, -1.0}}).has_value());
  EXPECT_FALSE(ContributionLayout::create({{3, 1.0}}, 37).has_value());
  EXPECT_FALSE(ContributionLayout::create({{3, 1.0}}, 0).has_value());
}

// At 30 bits 2^32 contributions fill 2^62; the sum that could pass it is refused, whatever it
// holds.
TEST(LatticeSum, RefusesToOverflow) {
  LatticeSum sum(1, 30);
  const std::vector<std::int64_t> full{1 << 30};
  ASSERT_TRUE(sum.add(full).has_value());
  for (int doubling = 0; doubling < 32; ++doubling) {
    const LatticeSum copy = sum;
    ASSERT_TRUE(sum.merge(copy).has_value()) << doubling;
  }
  const Status one_more = sum.add(full);
  ASSERT_FALSE(one_more.has_value());
  EXPECT_THAT(one_more.error().message, testing::HasSubstr("4,294,967,296"));
  const LatticeSum copy = sum;
  EXPECT_FALSE(sum.merge(copy).has_value());
}

}  // namespace
}  // namespace dpfermi
