// Samplers against their laws: sizes, single and pairwise inclusion, independence of batches.
//
// False alarms: 1e-6 for every chi-square test and 6e-7 for every test of 5 standard errors; fewer
// than 80 checks, so 8e-5 for the file.
#include <gmock/gmock.h>

#include <cmath>
#include <map>

#include "dpfermi/privacy/protected.h"
#include "dpfermi/sample/index_sampler.h"
#include "dpfermi/sample/poisson_sampler.h"
#include "random/statistics.h"

namespace dpfermi {
namespace {

constexpr double kChiSquareAlarm = 1e-6;
constexpr double kStandardErrors = 5;

NoiseLane lane(std::uint64_t seed) {
  NoiseSource source{ReproducibleSeed::from_number(seed).value()};
  return source.open(Purpose::kSecretBatch).value();
}

/// Batches as rows of flags.
using Flags = std::vector<std::vector<bool>>;

Flags poisson_flags(std::uint32_t units, double q, std::size_t batches, std::uint64_t seed) {
  auto sampler =
      PoissonSampler::create(units, SamplingRate::nearest(q).value(), lane(seed)).value();
  Flags flags(batches, std::vector<bool>(units));
  for (auto& row : flags) {
    const Batch batch = sampler.next().value();
    for (const std::uint32_t unit : ExactForHolder::read(batch.members())) row[unit] = true;
  }
  return flags;
}

/// Standard errors between a count and its binomial expectation.
double deviation(double count, double trials, double p) {
  return std::abs(count - trials * p) / std::sqrt(trials * p * (1 - p));
}

class PoissonLaw : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Rates, PoissonLaw,
                         testing::Values(0.5, 0.03, 1.5 / 256, 0.999, 0.0021, 255.25 / 256));

// Sizes are binomial: mean n q and variance n q (1 - q), which a fixed size would miss.
TEST_P(PoissonLaw, BatchSizesAreBinomial) {
  const double q = GetParam();
  const double n = 20000;
  const double batches = 4000;
  auto sampler = PoissonSampler::create(20000, SamplingRate::nearest(q).value(), lane(1)).value();
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < 4000; ++i) {
    const Batch batch = sampler.next().value();
    const double size = static_cast<double>(ExactForHolder::read(batch.members()).size());
    sum += size;
    squares += (size - n * q) * (size - n * q);
  }
  const double variance = n * q * (1 - q);
  EXPECT_LT(deviation(sum, batches * n, q), kStandardErrors);
  const double fourth = 2 + (1 - 6 * q * (1 - q)) / variance;
  EXPECT_LT(std::abs(squares / batches / variance - 1),
            kStandardErrors * std::sqrt(fourth / batches));
}

// Every unit is in equally often, wherever it stands among the 32 lanes and the blocks.
TEST_P(PoissonLaw, UnitsAreEquallyLikely) {
  const double q = GetParam();
  const std::size_t batches = 3000;
  const std::uint32_t units = 2000;
  const Flags flags = poisson_flags(units, q, batches, 2);
  double statistic = 0;
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    double count = 0;
    for (const auto& row : flags) count += row[unit] ? 1 : 0;
    const double z = deviation(count, static_cast<double>(batches), q);
    statistic += z * z;
  }
  const double spread = 2 + (1 - 6 * q * (1 - q)) / (static_cast<double>(batches) * q * (1 - q));
  EXPECT_LT(std::abs(statistic - units), kStandardErrors * std::sqrt(units * spread));
}

// Pairs at any distance, within a batch and from one batch to the next: joint inclusion q^2.
TEST_P(PoissonLaw, PairsAreIndependent) {
  const double q = GetParam();
  const std::uint32_t units = 4000;
  const Flags flags = poisson_flags(units, q, 1500, 3);
  for (const std::uint32_t distance : {1U, 8U, 32U, 256U, 1999U}) {
    double joint = 0;
    double trials = 0;
    for (const auto& row : flags) {
      for (std::uint32_t unit = 0; unit + distance < units; unit += 2 * distance) {
        for (std::uint32_t i = unit; i < std::min(unit + distance, units - distance); ++i) {
          joint += row[i] && row[i + distance] ? 1 : 0;
          ++trials;
        }
      }
    }
    EXPECT_LT(deviation(joint, trials, q * q), kStandardErrors) << distance;
  }
  double joint = 0;
  for (std::size_t row = 0; row + 1 < flags.size(); row += 2) {
    for (std::uint32_t unit = 0; unit < units; ++unit) {
      joint += flags[row][unit] && flags[row + 1][unit] ? 1 : 0;
    }
  }
  EXPECT_LT(deviation(joint, 750.0 * units, q * q), kStandardErrors);
}

// All C(6, 3) = 20 subsets, and all 4! = 24 orders, equally often.
TEST(FixedSizeLaw, SubsetsAreEquallyLikely) {
  auto sampler = FixedSizeSampler::create(6, 3, lane(4)).value();
  std::map<std::vector<std::uint32_t>, std::uint64_t> seen;
  for (int i = 0; i < 200000; ++i) ++seen[sampler.next().value()];
  std::vector<std::uint64_t> counts;
  for (const auto& [subset, count] : seen) counts.push_back(count);
  ASSERT_EQ(counts.size(), 20U);
  EXPECT_GT(statistics::uniform_p(counts), kChiSquareAlarm);
}

TEST(ShuffleLaw, OrdersAreEquallyLikely) {
  auto sampler = ShuffleSampler::create(4, 4, lane(5)).value();
  std::map<std::vector<std::uint32_t>, std::uint64_t> seen;
  for (int i = 0; i < 240000; ++i) ++seen[sampler.next().value()];
  std::vector<std::uint64_t> counts;
  for (const auto& [order, count] : seen) counts.push_back(count);
  ASSERT_EQ(counts.size(), 24U);
  EXPECT_GT(statistics::uniform_p(counts), kChiSquareAlarm);
}

}  // namespace
}  // namespace dpfermi
