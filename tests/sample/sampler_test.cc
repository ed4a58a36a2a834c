#include <gmock/gmock.h>

#include <cmath>
#include <numeric>
#include <set>

#include "dpfermi/privacy/protected.h"
#include "dpfermi/random/key_stream.h"
#include "dpfermi/sample/index_sampler.h"
#include "dpfermi/sample/poisson_sampler.h"
#include "random/lane.h"

namespace dpfermi {
namespace {

using Members = std::vector<std::uint32_t>;

NoiseLane lane(std::uint64_t seed, Purpose purpose = Purpose::kSecretBatch) {
  NoiseSource source{ReproducibleSeed::from_number(seed).value()};
  return source.open(purpose).value();
}

PoissonSampler poisson(std::uint32_t units, double q, std::uint64_t seed = 1) {
  return PoissonSampler::create(units, SamplingRate::nearest(q).value(), lane(seed)).value();
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
  for (const double q : {1.0, 0.999, 0.5, 0.03, 3.0 / 256, 1.0 / 256, 1e-3, 1e-5}) {
    for (const std::uint32_t units : {0U, 1U, 31U, 65536U, 200001U}) {
      PoissonSampler fast = poisson(units, q);
      PoissonSampler plain = poisson(units, q);
      for (int step = 0; step < 2; ++step) {
        EXPECT_EQ(members(fast.next()), members(plain.next_reference())) << q << " " << units;
      }
    }
  }
}

// Straight from the definition: byte i of the even stream, then seven bytes of the odd one.
TEST(PoissonSampler, ComparesA64BitNumberPerUnitWithTheThreshold) {
  const std::uint32_t units = 5000;
  const SamplingRate rate = SamplingRate::nearest(0.0173).value();
  KeyStream firsts = LaneForTests::stream(lane(2), 0, 0);
  KeyStream rests = LaneForTests::stream(lane(2), 0, 1);
  std::vector<std::uint8_t> bytes(units);
  firsts.fill(bytes);
  Members expected;
  for (std::uint32_t i = 0; i < units; ++i) {
    std::uint64_t number = std::uint64_t{bytes[i]} << 56;
    if (bytes[i] == rate.threshold() >> 56) number |= rests.next() & 0x00ffffffffffffff;
    if (number < rate.threshold()) expected.push_back(i);
  }
  EXPECT_EQ(members(PoissonSampler::create(units, rate, lane(2)).value().next()), expected);
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
        PoissonSampler::create(units, SamplingRate::nearest(0.5).value(), lane(1), 60).value();
    const Batch batch = sampler.next().value();
    EXPECT_TRUE(batch.sampling().declared);
    EXPECT_EQ(batch.sampling().expected_units, 30);
  }
}

TEST(PoissonSampler, TakesTheStreamsOfSecretBatchesOnly) {
  const auto with = [](Purpose purpose) {
    return PoissonSampler::create(9, SamplingRate::nearest(0.5).value(), lane(1, purpose));
  };
  EXPECT_TRUE(with(Purpose::kSecretBatch).has_value());
  for (const Purpose other : {Purpose::kPublicBatch, Purpose::kGradientNoise, Purpose::kSplit}) {
    ASSERT_FALSE(with(other).has_value());
    EXPECT_EQ(with(other).error().kind, ErrorKind::kUsage);
  }
}

TEST(PoissonSampler, CanBeResumed) {
  PoissonSampler all = poisson(1000, 0.1);
  (void)all.next();
  (void)all.next();
  PoissonSampler late = poisson(1000, 0.1);
  late.skip(2);
  EXPECT_EQ(members(all.next()), members(late.next()));
}

TEST(PoissonSampler, RateOneTakesEveryone) {
  Members everyone(70000);
  std::iota(everyone.begin(), everyone.end(), 0U);
  EXPECT_EQ(members(poisson(70000, 1.0).next()), everyone);
}

TEST(FixedSizeSampler, DrawsDifferentUnitsOfTheRightNumber) {
  auto sampler = FixedSizeSampler::create(100, 30, lane(3)).value();
  const Members first = sampler.next().value();
  EXPECT_EQ(first.size(), 30U);
  EXPECT_EQ(std::set<std::uint32_t>(first.begin(), first.end()).size(), 30U);
  EXPECT_LT(first.back(), 100U);
  EXPECT_NE(first, sampler.next().value());
  auto whole = FixedSizeSampler::create(7, 7, lane(3)).value();
  EXPECT_THAT(whole.next().value(), testing::ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

TEST(FixedSizeSampler, GivesNoAmplification) {
  auto sampler = FixedSizeSampler::create(100, 30, lane(3)).value();
  const Batch batch = Batch::unamplified(sampler.next().value()).value();
  const PrivacyEvent event =
      gaussian_event(Adjacency::kAddRemoveRecord, batch.sampling(), 8).value();
  EXPECT_EQ(std::get<GaussianRelease>(event.node()).sigma_over_distance, 4);
}

TEST(ShuffleSampler, AnEpochHoldsEveryUnitOnce) {
  auto sampler = ShuffleSampler::create(103, 10, lane(4)).value();
  EXPECT_EQ(sampler.batches_per_epoch(), 11U);
  Members previous;
  for (int epoch = 0; epoch < 3; ++epoch) {
    Members order;
    for (std::uint64_t i = 0; i < sampler.batches_per_epoch(); ++i) {
      const Members batch = sampler.next().value();
      EXPECT_EQ(batch.size(), i < 10 ? 10U : 3U);
      order.insert(order.end(), batch.begin(), batch.end());
    }
    EXPECT_NE(order, previous);
    previous = order;
    std::ranges::sort(order);
    for (std::uint32_t i = 0; i < 103; ++i) EXPECT_EQ(order[i], i);
  }
}

TEST(IndexSamplers, RefuseImpossibleSizes) {
  EXPECT_FALSE(FixedSizeSampler::create(10, 0, lane(1)).has_value());
  EXPECT_FALSE(FixedSizeSampler::create(10, 11, lane(1)).has_value());
  EXPECT_FALSE(ShuffleSampler::create(0, 1, lane(1)).has_value());
}

}  // namespace
}  // namespace dpfermi
