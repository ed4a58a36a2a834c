#include <gmock/gmock.h>

#include <cmath>
#include <numbers>
#include <random>

#include "dpfermi/privacy/mechanism/privatizer.h"
#include "privacy/mechanism/fixtures.h"
#include "privacy/mechanism/release_tap.h"
#include "random/lane.h"
#include "random/uniform.h"

namespace dpfermi {
namespace {

using testing_support::lane;
using testing_support::permit;
using enum Adjacency;
using Groups = std::vector<std::uint16_t>;
using Integers = std::vector<std::int64_t>;

constexpr Sampling kEverybody{SamplingKind::kEveryone, 1, 10};

PrivacyEvent placed_event(double z) {
  return gaussian_event(kSensitive, kEverybody, z, Exchanged::kPlace).value();
}

/// Persons with several rows each, in two conditions; some rows meet none.
struct People {
  std::vector<std::uint32_t> units, conditions;
  std::vector<std::vector<double>> vectors;
  Groups groups;
  std::uint32_t count;

  PlacedRows rows() const { return {count, units, conditions}; }
};

constexpr GroupBlocks kBlocks{2, 4, 5};

People people(std::uint64_t seed, std::uint32_t count, double longest) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  People made{{}, {}, {}, {}, count};
  for (std::uint32_t unit = 0; unit < count; ++unit) {
    for (std::size_t row = 0; row <= random() % 4; ++row) {
      made.units.push_back(unit);
      made.conditions.push_back(static_cast<std::uint32_t>(random() % 3));
      made.groups.push_back(static_cast<std::uint16_t>(random() % kBlocks.groups));
      std::vector<double> v(kBlocks.size);
      for (double& value : v) value = longest * normal(random);
      made.vectors.push_back(std::move(v));
    }
  }
  return made;
}

auto writer(const People& made) {
  return [&made](std::uint32_t row, std::span<double> out) {
    std::ranges::copy(made.vectors[row], out.begin());
  };
}

/// Sees the exact sums.
class SumTap : public ReleaseTap {
 public:
  void on_sum(const TappedSum& sum) override {
    exact.assign(sum.exact.begin(), sum.exact.end());
    squared_distance = sum.squared_distance;
  }
  Integers exact;
  int squared_distance = 0;
};

class TappedLedger : public Ledger {
 public:
  static ReleasePermit watched(const PrivacyEvent& event, ReleaseTap& tap) {
    return grant(event, 1, true, &tap);
  }

 protected:
  Status record(const Charge&) override { return {}; }
};

ContributionLayout layout(double clip_norm, int bits = 30) {
  return ContributionLayout::placed(kBlocks, clip_norm, bits).value();
}

/// The integers before noise.
Integers exact_sum(const People& made, double clip_norm, int bits, unsigned threads = 1) {
  SumTap tap;
  auto privatizer = Privatizer::create(layout(clip_norm, bits), kSensitive, 2,
                                       TappedLedger::watched(placed_event(2), tap), lane(1))
                        .value();
  Workers workers(threads);
  const auto groups = Protected<Groups>::rehearsal(made.groups, Invented::kGroups);
  ClippedSum sum = privatizer.sum_placed(groups, made.rows(), writer(made), &workers).value();
  EXPECT_TRUE(privatizer.release(std::move(sum)).has_value());
  EXPECT_EQ(tap.squared_distance, 2);
  return tap.exact;
}

Uint128 squared_distance(const Integers& a, const Integers& b) {
  Uint128 sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto size = static_cast<Uint128>(std::abs(a[i] - b[i]));
    sum += size * size;
  }
  return sum;
}

TEST(PlacedSum, PutsEveryRowsShareIntoTheBlockOfItsConditionAndGroup) {
  const People made = people(1, 40, 0.1);
  std::vector<double> expected(kBlocks.conditions * kBlocks.groups * kBlocks.size);
  for (std::size_t row = 0; row < made.units.size(); ++row) {
    if (made.conditions[row] >= kBlocks.conditions) continue;
    const auto rows = std::ranges::count(made.units, made.units[row]);
    for (std::size_t j = 0; j < kBlocks.size; ++j) {
      expected[(made.conditions[row] * kBlocks.groups + made.groups[row]) * kBlocks.size + j] +=
          made.vectors[row][j] / static_cast<double>(rows);
    }
  }
  const Integers sum = exact_sum(made, 1, 30);
  ASSERT_EQ(sum.size(), expected.size());
  for (std::size_t i = 0; i < sum.size(); ++i) {
    EXPECT_NEAR(std::ldexp(static_cast<double>(sum[i]), -30), expected[i], 1e-6);
  }
}

TEST(PlacedSum, DoesNotDependOnTheNumberOfThreads) {
  const People made = people(2, 700, 0.3);
  EXPECT_EQ(exact_sum(made, 1, 30), exact_sum(made, 1, 30, 3));
}

// Property, in exact integers: whatever the vectors are, sums of neighbours are at most sqrt(2)
// norm bounds apart, and with vectors on the bound they come that far.
TEST(PlacedSum, NeighboursAreAtMostRootTwoApart) {
  Uint128 furthest = 0;
  for (std::uint64_t trial = 0; trial < 3000; ++trial) {
    std::mt19937_64 random(trial);
    const int bits = 2 + static_cast<int>(random() % 35);
    const double clip_norm = std::exp2(static_cast<double>(random() % 40) - 20);
    People made = people(trial, 3, clip_norm * std::exp2(static_cast<double>(random() % 20) - 4));
    if (trial % 7 == 0)
      made.vectors[random() % made.vectors.size()][0] = trial % 2 == 0 ? NAN : 1e300;
    const Integers first = exact_sum(made, clip_norm, bits);
    const auto changed = static_cast<std::uint32_t>(random() % made.count);
    for (std::size_t row = 0; row < made.units.size(); ++row) {
      // Some values lie outside the declared groups.
      if (made.units[row] == changed) made.groups[row] = static_cast<std::uint16_t>(random() % 6);
    }
    const Uint128 apart = squared_distance(first, exact_sum(made, clip_norm, bits));
    ASSERT_LE(apart, Uint128{2} << (2 * bits)) << trial;
    if (bits == 36) furthest = std::max(furthest, apart);
  }
  EXPECT_GT(std::ldexp(static_cast<double>(furthest), -72), 1.999);
}

TEST(PlacedSum, IsChargedForRootTwo) {
  const PrivacyEvent placed = placed_event(3);
  const auto* gaussian = std::get_if<GaussianRelease>(&placed.node());
  ASSERT_NE(gaussian, nullptr);
  EXPECT_NEAR(gaussian->sigma_over_distance, 3 / std::numbers::sqrt2, 1e-12);
  EXPECT_LE(gaussian->sigma_over_distance, 3 / std::numbers::sqrt2);

  const PrivacyEvent ball = gaussian_event(kSensitive, kEverybody, 3).value();
  const auto create = [](const ContributionLayout& shape, const PrivacyEvent& charged) {
    return Privatizer::create(shape, kSensitive, 3, permit(charged), lane(1)).has_value();
  };
  const ContributionLayout any = ContributionLayout::create({{40, 1.0}}).value();
  EXPECT_TRUE(create(layout(1), placed_event(3)));
  EXPECT_TRUE(create(any, ball));
  EXPECT_FALSE(create(any, placed_event(3)));
  EXPECT_FALSE(create(layout(1), ball));
}

TEST(PlacedSum, ExistsForEveryoneUnderTheSensitiveAdjacencyAlone) {
  for (const Adjacency adjacency : {kReplaceRecord, kAddRemoveRecord}) {
    EXPECT_FALSE(gaussian_event(adjacency, kEverybody, 3, Exchanged::kPlace).has_value());
    EXPECT_FALSE(covers(gaussian_event(adjacency, kEverybody, 3).value(), adjacency, kEverybody, 3,
                        Exchanged::kPlace));
  }
  for (const SamplingKind kind :
       {SamplingKind::kPoisson, SamplingKind::kRevealedPoisson, SamplingKind::kUnamplified}) {
    const Sampling sampling{kind, 0.5, 10};
    EXPECT_FALSE(gaussian_event(kSensitive, sampling, 3, Exchanged::kPlace).has_value());
    EXPECT_FALSE(covers(placed_event(3), kSensitive, sampling, 3, Exchanged::kPlace));
  }
}

TEST(PlacedSum, LayoutsAndSumsOfOtherShapesAreRefused) {
  const People made = people(3, 10, 1);
  const Protected<Groups> groups(made.groups);
  auto placed =
      Privatizer::create(layout(1), kSensitive, 3, permit(placed_event(3)), lane(1)).value();
  const auto ones = [](const Groups&, std::uint32_t, std::span<double> out) { out[0] = 1; };
  EXPECT_FALSE(placed.sum(groups, Batch::everyone(10), ones).has_value());

  const PrivacyEvent ball = gaussian_event(kSensitive, kEverybody, 3).value();
  auto any = Privatizer::create(ContributionLayout::create({{40, 1.0}}).value(), kSensitive, 3,
                                permit(ball), lane(1))
                 .value();
  EXPECT_FALSE(any.sum_placed(groups, made.rows(), writer(made)).has_value());

  PlacedRows outside = made.rows();
  outside.unit_count = 9;
  EXPECT_FALSE(placed.sum_placed(groups, outside, writer(made)).has_value());
  PlacedRows shorter = made.rows();
  shorter.conditions = shorter.conditions.first(3);
  EXPECT_FALSE(placed.sum_placed(groups, shorter, writer(made)).has_value());
  EXPECT_EQ(placed.remaining(), 1U);
}

TEST(PlacedSum, AsksForTheVectorsOfAllRowsWhateverTheGroupsAre) {
  People made = people(4, 20, 1);
  const auto asked = [&] {
    std::vector<std::uint32_t> rows;
    auto privatizer =
        Privatizer::create(layout(1), kSensitive, 3, permit(placed_event(3)), lane(1)).value();
    const auto note = [&](std::uint32_t row, std::span<double>) { rows.push_back(row); };
    EXPECT_TRUE(
        privatizer.sum_placed(Protected<Groups>(made.groups), made.rows(), note).has_value());
    return rows;
  };
  const std::vector<std::uint32_t> first = asked();
  for (std::uint16_t& group : made.groups) group = static_cast<std::uint16_t>((group + 3) % 7);
  EXPECT_EQ(asked(), first);
}

}  // namespace
}  // namespace dpfermi
