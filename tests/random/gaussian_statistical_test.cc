// Both Gaussian samplers against their laws, from sigma = 1e-3 to 2^50 lattice steps.
//
// False alarms. Every chi-square test fails a correct sampler with probability 1e-6, every moment
// test (5 standard errors) with 6e-7. There are fewer than 120 such checks in this file: all
// together 1.2e-4.
#include <gmock/gmock.h>

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <vector>

#include "dpfermi/random/noise_source.h"
#include "random/discrete_gaussian.h"
#include "random/lane.h"
#include "random/rounded_gaussian.h"
#include "random/statistics.h"

namespace dpfermi {
namespace {

using statistics::kChiSquareAlarm;
using statistics::kStandardErrors;

double normal_below(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

/// P(lo <= K <= hi) under each law; infinite ends are allowed.
struct RoundedLaw {
  static constexpr std::size_t kDraws = 4'000'000;
  using Sampler = RoundedGaussian;
  double sigma;

  double probability(double lo, double hi) const {
    // From the tail's side, so that the difference does not cancel.
    return lo > 0 ? normal_below((0.5 - lo) / sigma) - normal_below((-0.5 - hi) / sigma)
                  : normal_below((hi + 0.5) / sigma) - normal_below((lo - 0.5) / sigma);
  }
};

struct DiscreteLaw {
  static constexpr std::size_t kDraws = 1'000'000;
  using Sampler = DiscreteGaussian;
  double sigma;

  /// Sums for small sigma; from sigma = 100 on the sum over a cell of at least sigma / 20 lattice
  /// points equals the integral between half-integers to 1 / (24 sigma^2) relative, far below what
  /// a million draws can see.
  double probability(double lo, double hi) const {
    if (sigma >= 100) return RoundedLaw{sigma}.probability(lo, hi);
    const double edge = std::ceil(12 * sigma) + 2;
    double part = 0;
    double whole = 0;
    for (double k = -edge; k <= edge; ++k) {
      const double weight = std::exp(-k * k / (2 * sigma * sigma));
      whole += weight;
      if (k >= lo && k <= hi) part += weight;
    }
    return part / whole;
  }
};

/// Cells of about sigma / 10, at least one lattice point, over +-6 sigma, and the two tails.
template <class Law>
double fit_p(const Law& law, std::span<const std::int64_t> draws) {
  const double width = std::max(1.0, std::floor(law.sigma / 10));
  const auto half = static_cast<std::int64_t>(std::ceil(6 * law.sigma / width));
  std::vector<std::uint64_t> counts(static_cast<std::size_t>(2 * half + 3));
  std::vector<double> probabilities(counts.size());
  const std::int64_t last = 2 * half + 2;
  for (std::int64_t cell = 0; cell <= last; ++cell) {
    const double lo = cell == 0 ? -INFINITY : static_cast<double>(cell - half - 1) * width;
    const double hi = cell == last ? INFINITY : static_cast<double>(cell - half) * width - 1;
    probabilities[static_cast<std::size_t>(cell)] = law.probability(lo, hi);
  }
  for (const std::int64_t draw : draws) {
    const auto cell =
        static_cast<std::int64_t>(std::floor(static_cast<double>(draw) / width)) + half + 1;
    ++counts[static_cast<std::size_t>(std::clamp<std::int64_t>(cell, 0, last))];
  }
  return statistics::chi_square_p(counts, probabilities);
}

template <class Sampler>
std::vector<std::int64_t> draws_of(double sigma, std::size_t count, std::uint64_t seed,
                                   std::uint64_t step = 0, std::uint32_t block = 0) {
  NoiseSource source{ReproducibleSeed::from_number(seed).value()};
  KeyStream stream =
      LaneForTests::stream(source.open(Purpose::kGradientNoise).value(), step, block);
  std::vector<std::int64_t> draws(count);
  EXPECT_TRUE(Sampler::create(sigma).value().draw(stream, draws).has_value());
  return draws;
}

template <class Law>
class GaussianLaw : public testing::Test {};
using Laws = testing::Types<RoundedLaw, DiscreteLaw>;
TYPED_TEST_SUITE(GaussianLaw, Laws);

TYPED_TEST(GaussianLaw, CellCountsFit) {
  std::uint64_t seed = 100;
  for (const double sigma : {0.2, 0.25, 0.3, 0.5, 0.75, 1.0, 1.5, 3.0, 10.5, 50.0, 1000.0, 65536.0,
                             3.3e7, 0x1p32, 0x1.7p40, 0x1p50}) {
    const TypeParam law{sigma};
    const auto draws = draws_of<typename TypeParam::Sampler>(sigma, TypeParam::kDraws, ++seed);
    EXPECT_GT(fit_p(law, draws), kChiSquareAlarm) << sigma;
  }
}

TYPED_TEST(GaussianLaw, MomentsFit) {
  std::uint64_t seed = 200;
  for (const double sigma : {1.0, 2.5, 17.0, 65536.0, 0x1p24, 0x1.3p40, 0x1p50}) {
    const auto draws = draws_of<typename TypeParam::Sampler>(sigma, TypeParam::kDraws, ++seed);
    const bool rounded = std::is_same_v<TypeParam, RoundedLaw>;
    // Rounding adds 1/12 to the variance; the discrete Gaussian has variance sigma^2. Corrections
    // are below 1e-7 from sigma = 1 on, and 1e-3 standard errors.
    const double variance = sigma * sigma + (rounded ? 1.0 / 12 : 0.0);
    const double root = std::sqrt(static_cast<double>(draws.size()));
    const statistics::Moments moments{draws};
    EXPECT_LT(std::abs(moments.mean) * root, kStandardErrors * std::sqrt(variance)) << sigma;
    EXPECT_LT(std::abs(moments.second / variance - 1) * root, kStandardErrors * std::sqrt(2.0));
    if (sigma > 2) {  // the fourth moment of the rounded law is 3 v^2 - 1/120
      EXPECT_LT(std::abs(moments.fourth / (3 * variance * variance) - 1) * root,
                kStandardErrors * std::sqrt(96.0 / 9))
          << sigma;
    }
  }
}

// At sigma = 1e-2 the nearest half-integer is 50 standard deviations away, and |K| = 1 a hundred: a
// draw other than 0 has probability below 1e-500 under either law.
TYPED_TEST(GaussianLaw, TinySigmaGivesZero) {
  for (const double sigma : {0x1p-16, 1e-3, 1e-2}) {
    const auto draws = draws_of<typename TypeParam::Sampler>(sigma, 100000, 300);
    EXPECT_THAT(draws, testing::Each(0)) << sigma;
  }
}

// Where sigma spans many lattice steps, the low bits are as good as uniform; gaps in the lattice
// are what attacks on floating-point noise live on.
TYPED_TEST(GaussianLaw, LowBitsAreUniform) {
  std::uint64_t seed = 400;
  for (const double sigma : {1024.0, 0x1p20, 0x1p32, 0x1.9p40, 0x1p50}) {
    std::vector<std::uint64_t> counts(256);
    for (const std::int64_t draw :
         draws_of<typename TypeParam::Sampler>(sigma, TypeParam::kDraws, ++seed)) {
      ++counts[static_cast<std::uint64_t>(draw) & 255];
    }
    EXPECT_GT(statistics::uniform_p(counts), kChiSquareAlarm) << sigma;
  }
}

// Beyond 4.25 sigma the tail has its own code; 4e7 draws hit it about 850 times.
TEST(RoundedGaussianTail, HasTheRightShareAndShape) {
  const double sigma = 0x1p30;
  const RoundedLaw law{sigma};
  const std::vector<double> edges{4.25, 4.3, 4.35, 4.4, 4.5, 4.6, 4.8, 5.0, INFINITY};
  std::vector<std::uint64_t> counts(edges.size());
  std::vector<double> probabilities(edges.size());
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    probabilities[i] =
        2 * law.probability(std::ceil(edges[i] * sigma), std::ceil(edges[i + 1] * sigma) - 1);
  }
  probabilities.back() = 1 - std::accumulate(probabilities.begin(), probabilities.end() - 1, 0.0);
  for (std::uint64_t step = 0; step < 40; ++step) {
    for (const std::int64_t draw : draws_of<RoundedGaussian>(sigma, 1'000'000, 500, step)) {
      const double size = std::abs(static_cast<double>(draw)) / sigma;
      std::size_t cell = edges.size() - 1;
      while (cell > 0 && size < edges[cell - 1]) --cell;
      ++counts[cell == 0 ? edges.size() - 1 : cell - 1];
    }
  }
  EXPECT_GT(statistics::chi_square_p(counts, probabilities), kChiSquareAlarm);
}

// Streams next to each other in step or block: an 8 x 8 table of octiles, and the correlation.
TYPED_TEST(GaussianLaw, NeighbouringStreamsAreIndependent) {
  const double sigma = 1e6;
  const std::size_t count = TypeParam::kDraws / 4;
  const auto draw = [&](std::uint64_t step, std::uint32_t block) {
    return draws_of<typename TypeParam::Sampler>(sigma, count, 600, step, block);
  };
  const auto base = draw(7, 0);
  for (const auto& other : {draw(8, 0), draw(7, 1), draw(0, 7)}) {
    std::vector<std::uint64_t> table(64);
    double product = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double x = static_cast<double>(base[i]) / sigma;
      const double y = static_cast<double>(other[i]) / sigma;
      product += x * y;
      const auto octile = [](double z) { return static_cast<std::size_t>(8 * normal_below(z)); };
      ++table[8 * octile(x) + octile(y)];
    }
    EXPECT_GT(statistics::uniform_p(table), kChiSquareAlarm);
    EXPECT_LT(std::abs(product), kStandardErrors * std::sqrt(static_cast<double>(count)));
  }
}

}  // namespace
}  // namespace dpfermi
