// Poisson batches against their law: sizes, single and pairwise inclusion, independence of batches.
//
// False alarms: 1e-6 for every chi-square test and 6e-7 for every test of 5 standard errors; fewer
// than 150 checks, so 1.5e-4 for the file.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <bit>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

#include "dpfermi/privacy/protected.h"
#include "dpfermi/sample/poisson_sampler.h"
#include "parameter_name.h"
#include "random/statistics.h"

namespace dpfermi {
namespace {

using statistics::kChiSquareAlarm;
using statistics::kStandardErrors;

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
                         testing::Values(0.5, 0.101, 0.1, 0.03, 1.5 / 256, 0.999, 0.0021,
                                         255.25 / 256));

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

// Every unit is in equally often, wherever it stands among lanes, blocks and parts of a gap.
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

struct Case {
  std::uint32_t units;
  double q;
};

class PoissonSizes : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Cases, PoissonSizes,
                         testing::Values(Case{1, 0.1}, Case{1, 0.01}, Case{50, 0.06}, Case{50, 0.2},
                                         Case{3000, 1e-3}, Case{70000, 3e-4}, Case{1'000'000, 3e-6},
                                         Case{4'000'000'000, 1e-9}, Case{4'000'000'000, 2e-8}),
                         [](const auto& chosen) {
                           return testing_support::parameter_name(
                               fmt::format("{}_units_rate_{}", chosen.param.units, chosen.param.q));
                         });

// The whole law of the size, tiny and huge batches included.
TEST_P(PoissonSizes, FollowTheBinomialLaw) {
  const auto [units, q] = GetParam();
  auto sampler = PoissonSampler::create(units, SamplingRate::nearest(q).value(), lane(6)).value();
  const boost::math::binomial_distribution<double> law(units, q);
  std::vector<std::uint64_t> counts(200);
  std::vector<double> probabilities;
  for (std::size_t size = 0; size < counts.size(); ++size) {
    const auto size_as_double = static_cast<double>(size);
    probabilities.push_back(size <= units ? boost::math::pdf(law, size_as_double) : 0);
  }
  for (int i = 0; i < 100000; ++i) {
    const Batch batch = sampler.next().value();
    ++counts.at(ExactForHolder::read(batch.members()).size());
  }
  EXPECT_GT(statistics::chi_square_p(counts, probabilities), kChiSquareAlarm);
}

// Five units: the probabilities of all 32 batches are products.
TEST(PoissonJointLaw, UnitsAreIndependentCoins) {
  for (const double q : {0.3, 0.1, 0.04}) {
    auto sampler = PoissonSampler::create(5, SamplingRate::nearest(q).value(), lane(7)).value();
    std::vector<std::uint64_t> counts(32);
    for (int i = 0; i < 400000; ++i) {
      const Batch batch = sampler.next().value();
      std::size_t subset = 0;
      for (const std::uint32_t unit : ExactForHolder::read(batch.members())) subset |= 1U << unit;
      ++counts[subset];
    }
    std::vector<double> probabilities;
    for (std::uint32_t subset = 0; subset < 32; ++subset) {
      const int in = std::popcount(subset);
      probabilities.push_back(std::pow(q, in) * std::pow(1 - q, 5 - in));
    }
    EXPECT_GT(statistics::chi_square_p(counts, probabilities), kChiSquareAlarm);
  }
}

// Four billion units: members are spread evenly, in the large and in their last bits.
TEST(PoissonJointLaw, RareMembersAreAnywhere) {
  for (const double q : {1e-6, 1e-7}) {
    auto sampler =
        PoissonSampler::create(1U << 31, SamplingRate::nearest(q).value(), lane(8)).value();
    std::vector<std::uint64_t> leading(512);
    std::vector<std::uint64_t> middle(512);
    std::vector<std::uint64_t> trailing(512);
    for (int i = 0; i < 1000; ++i) {
      const Batch batch = sampler.next().value();
      for (const std::uint32_t unit : ExactForHolder::read(batch.members())) {
        ++leading[unit >> 22];
        ++middle[unit >> 11 & 511];
        ++trailing[unit & 511];
      }
    }
    EXPECT_GT(statistics::uniform_p(leading), kChiSquareAlarm);
    EXPECT_GT(statistics::uniform_p(middle), kChiSquareAlarm);
    EXPECT_GT(statistics::uniform_p(trailing), kChiSquareAlarm);
  }
}

}  // namespace
}  // namespace dpfermi
