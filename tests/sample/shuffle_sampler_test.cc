#include <gmock/gmock.h>

#include <limits>
#include <set>

#include "dpfermi/privacy/mechanism/batch.h"
#include "sample/index_sampler.h"

namespace dpfermi {
namespace {

using Members = std::vector<std::uint32_t>;

ShuffleSampler shuffle(std::uint32_t units, std::uint32_t size, std::uint64_t seed = 4) {
  NoiseSource source{ReproducibleSeed::from_number(seed).value()};
  return ShuffleSampler::create(units, size, source.open(Purpose::kPublicBatch).value()).value();
}

/// An epoch's batches, one after the other; the sizes are checked on the way.
Members epoch(ShuffleSampler& sampler, std::uint32_t units, std::uint32_t size) {
  Members order;
  while (order.size() < units) {
    const Members batch = sampler.next().value();
    EXPECT_EQ(batch.size(), std::min<std::size_t>(size, units - order.size()));
    order.insert(order.end(), batch.begin(), batch.end());
  }
  return order;
}

TEST(ShuffleSampler, AnEpochHoldsEveryUnitOnce) {
  for (const std::uint32_t size : {1U, 7U, 64U, 1000U}) {
    for (const std::uint32_t units :
         {1U, 2U, 3U, 4U, 5U, 7U, 8U, 50U, 63U, 64U, 65U, 103U, 130U, 999U, 65536U, 100003U}) {
      if (size > units) continue;
      ShuffleSampler sampler = shuffle(units, size);
      EXPECT_EQ(sampler.batches_per_epoch(), (units + size - 1) / size);
      const Members first = epoch(sampler, units, size);
      const Members second = epoch(sampler, units, size);
      if (units >= 50) {
        EXPECT_NE(first, second);
      }
      for (Members order : {first, second}) {
        std::ranges::sort(order);
        for (std::uint32_t i = 0; i < units; ++i) ASSERT_EQ(order[i], i) << units << " " << size;
      }
    }
  }
}

TEST(ShuffleSampler, BatchesOfAnySizeCutTheSameOrder) {
  ShuffleSampler small = shuffle(1000, 33);
  ShuffleSampler large = shuffle(1000, 700);
  EXPECT_EQ(epoch(small, 1000, 33), epoch(large, 1000, 700));
}

TEST(ShuffleSampler, CanBeResumed) {
  for (const std::uint64_t done : {0U, 1U, 10U, 11U, 12U}) {
    for (const std::uint64_t skipped : {0U, 1U, 10U, 11U, 12U, 100U}) {
      ShuffleSampler all = shuffle(103, 10);
      for (std::uint64_t i = 0; i < done + skipped; ++i) (void)all.next();
      ShuffleSampler late = shuffle(103, 10);
      for (std::uint64_t i = 0; i < done; ++i) (void)late.next();
      late.skip(skipped);
      EXPECT_EQ(all.next().value(), late.next().value()) << done << " " << skipped;
    }
  }
}

TEST(ShuffleSampler, CountingNeverComesRound) {
  ShuffleSampler sampler = shuffle(10, 10);
  sampler.skip(std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(sampler.next().has_value());
  sampler.skip(std::numeric_limits<std::uint64_t>::max());
  EXPECT_FALSE(sampler.next().has_value());
}

TEST(ShuffleSampler, HandlesAsManyUnitsAsThereAreIndices) {
  constexpr std::uint32_t kUnits = std::numeric_limits<std::uint32_t>::max();
  ShuffleSampler sampler = shuffle(kUnits, 100000);
  sampler.skip(sampler.batches_per_epoch() - 2);
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 2; ++i) {
    const Members batch = sampler.next().value();
    for (const std::uint32_t unit : batch) {
      EXPECT_LT(unit, kUnits);
      EXPECT_TRUE(seen.insert(unit).second);
    }
  }
  EXPECT_EQ(seen.size(), 100000 + kUnits % 100000);
}

TEST(ShuffleSampler, GivesNoAmplification) {
  ShuffleSampler sampler = shuffle(100, 30);
  const Batch batch = Batch::unamplified(sampler.next().value()).value();
  const PrivacyEvent event =
      gaussian_event(Adjacency::kAddRemoveRecord, batch.sampling(), 8).value();
  EXPECT_EQ(std::get<GaussianRelease>(event.node()).sigma_over_distance, 4);
}

TEST(ShuffleSampler, RefusesImpossibleSizes) {
  const auto create = [](std::uint32_t units, std::uint32_t size) {
    NoiseSource source{ReproducibleSeed::from_number(1).value()};
    return ShuffleSampler::create(units, size, source.open(Purpose::kPublicBatch).value());
  };
  EXPECT_TRUE(create(10, 10).has_value());
  EXPECT_FALSE(create(10, 0).has_value());
  EXPECT_FALSE(create(10, 11).has_value());
  EXPECT_FALSE(create(0, 1).has_value());
}

}  // namespace
}  // namespace dpfermi
