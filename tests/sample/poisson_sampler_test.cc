#include "dpfermi/sample/poisson_sampler.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "dpfermi/privacy/protected.h"
#include "random/key_stream.h"
#include "random/lane.h"
#include "sample/gap_table.h"
#include "sample/reference_sampler.h"

namespace dpfermi {
namespace {

using Members = std::vector<std::uint32_t>;

NoiseLane batch_lane(std::uint64_t seed, Purpose purpose = Purpose::kSecretBatch) {
  NoiseSource source{ReproducibleSeed::from_number(seed).value()};
  return source.open(purpose).value();
}

PoissonSampler poisson(std::uint32_t units, double q, std::uint64_t seed = 1) {
  return PoissonSampler::create(units, SamplingRate::nearest(q).value(), batch_lane(seed)).value();
}

Members members(const Result<Batch>& batch) {
  return ExactForHolder::read(batch.value().members());
}

TEST(SamplingRate, TheAccountedRateIsTheSampledOne) {
  for (const double q : {1.0, 0.5, 0.03, 1.0 / 3, 0x1p-11, 1e-3}) {
    const SamplingRate rate = SamplingRate::nearest(q).value();
    EXPECT_EQ(rate.value(), q);
    EXPECT_EQ(rate.certain(), q == 1);
    if (!rate.certain()) {
      EXPECT_EQ(std::ldexp(static_cast<double>(rate.threshold()), -64), q);
    }
  }
  // Below 2^-11 a double can be finer than 2^-64; the rate says what is really sampled.
  for (const double q : {1e-4, 1e-7, 1.3e-12, 0x1p-64}) {
    const SamplingRate rate = SamplingRate::nearest(q).value();
    EXPECT_NEAR(rate.value(), q, 0x1p-65);
    EXPECT_EQ(std::ldexp(rate.value(), 64), static_cast<double>(rate.threshold()));
  }
  for (const double q : {0.0, -0.1, 1.1, 0x1p-65, double{NAN}}) {
    EXPECT_FALSE(SamplingRate::nearest(q).has_value()) << q;
  }
}

TEST(PoissonSampler, EqualsTheReference) {
  for (const double q :
       {1.0, 0.999, 0.5, 64.0 / 256, 0.1001, 0.1, 3.0 / 256, 1e-3, 1e-5, 0x1p-64}) {
    for (const std::uint32_t units : {0U, 1U, 31U, 50U, 65536U, 200001U}) {
      PoissonSampler fast = poisson(units, q);
      reference::Sampler plain(units, SamplingRate::nearest(q).value(), batch_lane(1));
      for (int step = 0; step < 2; ++step) {
        EXPECT_EQ(members(fast.next()), plain.next()) << q << " " << units;
      }
    }
  }
}

TEST(PoissonSampler, EqualsTheReferenceForBillionsOfUnits) {
  for (const double q : {1e-6, 1e-8, 0x1p-40}) {
    PoissonSampler fast = poisson(4'000'000'000U, q);
    reference::Sampler plain(4'000'000'000U, SamplingRate::nearest(q).value(), batch_lane(1));
    EXPECT_EQ(members(fast.next()), plain.next()) << q;
  }
}

TEST(PoissonSampler, MembersAscendAndExist) {
  for (const double q : {0.5, 0.1, 0.03, 1e-3, 1e-5}) {
    for (const std::uint32_t units : {0U, 1U, 2U, 50U, 65537U, 300000U}) {
      const Members batch = members(poisson(units, q).next());
      EXPECT_TRUE(std::ranges::is_sorted(batch, std::less_equal<>())) << q << " " << units;
      if (!batch.empty()) {
        EXPECT_LT(batch.back(), units);
      }
    }
  }
}

// Straight from the definition, with logarithms instead of tables: each half of a word is a
// uniform number, and 1 - (1-q)^(v+1) is inverted by taking the logarithm.
TEST(PoissonSampler, DrawsLongGapsInTwoParts) {
  for (const double q : {0.0031, 1e-3, 1e-4}) {
    const std::uint32_t units = 3'000'000;
    const GapTable gaps(SamplingRate::nearest(q).value().threshold());
    const double low_values = std::ldexp(1, gaps.low_bits());
    const auto high_values = static_cast<double>(gaps.high().steps().size());
    const double log_out = std::log1p(-q);
    KeyStream words = LaneForTests::stream(batch_lane(2), 0, 0);
    const auto invert = [](std::uint64_t half, double total, double log_ratio) {
      const double uniform = (static_cast<double>(half) + 0.5) * 0x1p-32;
      return std::floor(std::log1p(-uniform * total) / log_ratio);
    };
    Members expected;
    for (double unit = 0; unit < units;) {
      const std::uint64_t word = words.next();
      const double high = invert(word >> 32, 1, log_out * low_values);
      if (high >= high_values) {
        unit += high_values * low_values;
        continue;
      }
      const double total = -std::expm1(log_out * low_values);
      unit += high * low_values + invert(word & 0xffffffff, total, log_out);
      if (unit < units) expected.push_back(static_cast<std::uint32_t>(unit++));
    }
    EXPECT_EQ(members(PoissonSampler::create(units, SamplingRate::nearest(q).value(), batch_lane(2))
                          .value()
                          .next()),
              expected);
  }
}

// The same where a half of a word gives a whole gap.
TEST(PoissonSampler, DrawsShortGapsAtOnce) {
  for (const double q : {0.09, 0.0173, 0.005}) {
    const std::uint32_t units = 3'000'000;
    const GapTable gaps(SamplingRate::nearest(q).value().threshold());
    ASSERT_EQ(gaps.low_bits(), 0);
    const auto out = static_cast<double>(gaps.high().steps().size());
    KeyStream words = LaneForTests::stream(batch_lane(2), 0, 0);
    Members expected;
    for (double unit = 0; unit < units;) {
      const std::uint64_t word = words.next();
      for (const std::uint64_t half : {word >> 32, word & 0xffffffff}) {
        const double uniform = (static_cast<double>(half) + 0.5) * 0x1p-32;
        const double gap = std::min(std::floor(std::log1p(-uniform) / std::log1p(-q)), out);
        unit += gap;
        if (gap < out && unit < units) expected.push_back(static_cast<std::uint32_t>(unit++));
      }
    }
    EXPECT_EQ(members(PoissonSampler::create(units, SamplingRate::nearest(q).value(), batch_lane(2))
                          .value()
                          .next()),
              expected);
  }
}

// Straight from the definition: byte i of the even stream, then seven bytes of the odd one.
TEST(PoissonSampler, ComparesA64BitNumberPerUnitWithTheThreshold) {
  const std::uint32_t units = 5000;
  const SamplingRate rate = SamplingRate::nearest(0.173).value();
  KeyStream firsts = LaneForTests::stream(batch_lane(2), 0, 0);
  KeyStream rests = LaneForTests::stream(batch_lane(2), 0, 1);
  std::vector<std::uint8_t> bytes(units);
  firsts.fill(bytes);
  Members expected;
  for (std::uint32_t i = 0; i < units; ++i) {
    std::uint64_t number = std::uint64_t{bytes[i]} << 56;
    if (bytes[i] == rate.threshold() >> 56) number |= rests.next() & 0x00ffffffffffffff;
    if (number < rate.threshold()) expected.push_back(i);
  }
  EXPECT_EQ(members(PoissonSampler::create(units, rate, batch_lane(2)).value().next()), expected);
}

TEST(PoissonSampler, YieldsItsEventAndAConstantDenominator) {
  PoissonSampler sampler = poisson(1000, 0.25);
  for (int step = 0; step < 5; ++step) {
    const Batch batch = sampler.next().value();
    EXPECT_EQ(batch.sampling().kind, SamplingKind::kPoisson);
    EXPECT_EQ(batch.sampling().q, 0.25);
    EXPECT_EQ(batch.sampling().expected_units, 250);
    EXPECT_FALSE(batch.sampling().declared);
    EXPECT_EQ(batch.sampling().membership, Reproducibility::kReproducible);
  }
}

// Neighbours under add/remove, n = 49 and n = 50, show the same denominator.
TEST(PoissonSampler, ADeclaredNumberOfUnitsReplacesTheCountedOne) {
  for (const std::uint32_t units : {49U, 50U}) {
    auto sampler =
        PoissonSampler::create(units, SamplingRate::nearest(0.5).value(), batch_lane(1), 60)
            .value();
    const Batch batch = sampler.next().value();
    EXPECT_TRUE(batch.sampling().declared);
    EXPECT_EQ(batch.sampling().expected_units, 30);
  }
}

TEST(PoissonSampler, TakesTheStreamsOfSecretBatchesOnly) {
  const auto with = [](Purpose purpose) {
    return PoissonSampler::create(9, SamplingRate::nearest(0.5).value(), batch_lane(1, purpose));
  };
  EXPECT_TRUE(with(Purpose::kSecretBatch).has_value());
  for (const Purpose other : {Purpose::kPublicBatch, Purpose::kGradientNoise, Purpose::kSplit}) {
    ASSERT_FALSE(with(other).has_value());
    EXPECT_EQ(with(other).error().kind, ErrorKind::kUsage);
  }
}

TEST(PoissonSampler, CanBeResumed) {
  for (const double q : {0.3, 0.1, 0.01}) {
    PoissonSampler all = poisson(1000, q);
    const Members first = members(all.next());
    EXPECT_NE(members(all.next()), first);
    PoissonSampler late = poisson(1000, q);
    late.skip(2);
    EXPECT_EQ(members(all.next()), members(late.next()));
  }
}

TEST(PoissonSampler, CountingNeverComesRound) {
  for (const double q : {0.3, 0.01}) {
    PoissonSampler sampler = poisson(1000, q);
    sampler.skip(std::numeric_limits<std::uint64_t>::max());
    sampler.skip(1);
    EXPECT_FALSE(sampler.next().has_value());
  }
}

TEST(PoissonSampler, RateOneTakesEveryone) {
  Members everyone(70000);
  std::iota(everyone.begin(), everyone.end(), 0U);
  EXPECT_EQ(members(poisson(70000, 1.0).next()), everyone);
}

}  // namespace
}  // namespace dpfermi
