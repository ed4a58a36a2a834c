#include "privacy/mechanism/counts_privatizer.h"

#include <gmock/gmock.h>

#include "privacy/mechanism/fixtures.h"
#include "random/discrete_gaussian.h"
#include "random/key_stream.h"
#include "random/lane.h"

namespace dpfermi {
namespace {

using testing_support::event;
using testing_support::lane;
using testing_support::permit;
using GroupIndices = std::vector<std::size_t>;
using enum Adjacency;

std::size_t group_of(const GroupIndices& groups, std::uint32_t unit) {
  return groups[unit];
}

TEST(CountsPrivatizer, ReleasesCountsPlusExactlyTheStreamsNoise) {
  const GroupIndices groups{0, 2, 2, 1, 2, 7, 0};  // the 7 lies outside the table
  std::vector<std::int64_t> expected(3);
  KeyStream stream = LaneForTests::stream(lane(3), 0, 0);
  ASSERT_TRUE(DiscreteGaussian::create(4.5).value().draw(stream, expected).has_value());
  expected[0] += 2;
  expected[1] += 1;
  expected[2] += 3;
  auto privatizer = CountsPrivatizer::create(kSensitive, 4.5,
                                             permit(counts_event(kSensitive, 4.5).value()), lane(3))
                        .value();
  const NoisyCounts counts = privatizer.release(Protected(groups), 7, 3, group_of).value();
  EXPECT_EQ(counts.values(), expected);
  EXPECT_EQ(counts.sigma(), 4.5);
  EXPECT_EQ(counts.reproducibility(), Reproducibility::kReproducible);
  const auto again = privatizer.release(Protected(groups), 7, 3, group_of);
  ASSERT_FALSE(again.has_value());
  EXPECT_EQ(again.error().kind, ErrorKind::kBudgetRefused);
}

TEST(CountsPrivatizer, AMoveIsTwoUnitChangesAndAnAppearanceOne) {
  const auto shifts = [](Adjacency adjacency) {
    return std::get<DiscreteGaussianRelease>(counts_event(adjacency, 2).value().node()).shifts;
  };
  EXPECT_THAT(shifts(kSensitive), testing::ElementsAre(1, 1));
  EXPECT_THAT(shifts(Adjacency::kReplaceRecord), testing::ElementsAre(1, 1));
  EXPECT_THAT(shifts(Adjacency::kAddRemoveRecord), testing::ElementsAre(1));
}

TEST(CountsPrivatizer, RefusesNoiseOfAnotherKindThanWasCharged) {
  const PrivacyEvent charged = counts_event(kSensitive, 2).value();
  for (const bool fixed_seed : {true, false}) {
    for (const bool secret : {true, false}) {
      const auto made = CountsPrivatizer::create(kSensitive, 2, permit(charged, 1, fixed_seed),
                                                 secret ? testing_support::secret_lane() : lane(1));
      EXPECT_EQ(made.has_value(), fixed_seed != secret);
    }
  }
}

TEST(CountsPrivatizer, RefusesAChargeForAnythingElse) {
  const auto create = [](const PrivacyEvent& charged) {
    return CountsPrivatizer::create(kSensitive, 2, permit(charged), lane(1));
  };
  const auto other = Adjacency::kReplaceRecord;
  EXPECT_TRUE(create(event(kSensitive, DiscreteGaussianRelease{2, {1, 1}})).has_value());
  EXPECT_FALSE(create(event(kSensitive, DiscreteGaussianRelease{2, {1}})).has_value());
  EXPECT_FALSE(create(event(kSensitive, DiscreteGaussianRelease{2.1, {1, 1}})).has_value());
  EXPECT_FALSE(create(event(other, DiscreteGaussianRelease{2, {1, 1}})).has_value());
  EXPECT_FALSE(create(event(kSensitive, GaussianRelease{2})).has_value());
}

}  // namespace
}  // namespace dpfermi
