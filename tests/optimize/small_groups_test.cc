// Small groups that are merged on request: by released counts, paid for, and said.

#include "optimize/small_groups.h"

#include <gmock/gmock.h>

#include "optimize/many_groups.h"
#include "optimize/training.h"
#include "privacy/research_ledger.h"
#include "random/lane.h"

namespace dpfermi {
namespace {

using testing::ElementsAre;
using testing_support::many_groups;
using testing_support::seeded_noise;

/// Groups 2, 3 and 4 have 40, 25 and 0 members; the rest is shared by the first two.
Dataset with_small_groups() {
  Dataset data = many_groups({.rows = 5000, .groups = 2});
  std::vector<std::uint16_t> s = ExactForHolder::read(data.s);
  for (std::size_t i = 0; i < 65; ++i) s[i] = i < 40 ? 2 : 3;
  data.s = Protected(std::move(s));
  data.groups = 5;
  return data;
}

TEST(MergeGroups, TheFirstOfTheSmallOnesStandsForAll) {
  EXPECT_THAT(merge_groups(std::vector<double>{900, 20, 700, -3, 299}, 300),
              ElementsAre(0, 1, 2, 1, 1));
  EXPECT_THAT(merge_groups(std::vector<double>{900, 300, 700}, 300), ElementsAre(0, 1, 2));
  EXPECT_THAT(merge_groups(std::vector<double>{900, 20, 700}, 300), ElementsAre(0, 1, 2));
  EXPECT_THAT(merge_groups(std::vector<double>{1, 2, 3}, 300), ElementsAre(0, 0, 0));
}

TEST(MergeGroups, OtherGroupsKeepTheirRows) {
  const Dataset data = with_small_groups();
  const Dataset merged = with_merged_groups(data, {0, 1, 2, 2, 2});
  const std::vector<std::uint16_t>& before = ExactForHolder::read(data.s);
  const std::vector<std::uint16_t>& after = ExactForHolder::read(merged.s);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i], std::min<std::uint16_t>(before[i], 2));
  }
}

TrainingRequest merging(Method method) {
  TrainingRequest request{.method = method, .epsilon = 3};
  request.max_violation = 0.05;
  request.merge_small = 300;
  return request;
}

// With epsilon 3 the noise of a count is below twenty: 40 and 2,400 are on their sides of 300.
TEST(MergeSmall, ReleasesOneMoreTableOfCountsInsideEpsilon) {
  const Dataset data = with_small_groups();
  for (const Method method : {Method::kDpFermi, Method::kSketch}) {
    const TrainingPlan plan = plan_training(merging(method), data, 1).value();
    EXPECT_LE(plan.certified_epsilon, 3);
    ResearchLedger ledger;
    const TrainingResult result = train(data, plan, ledger, seeded_noise(1)).value();
    EXPECT_THAT(result.merged, ElementsAre(0, 1, 2, 2, 2));
    std::uint64_t tables = 0;
    for (const StatedRelease& release : result.statement.releases) {
      if (release.purpose == "group counts") tables += release.count;
    }
    EXPECT_EQ(tables, method == Method::kDpFermi ? 2U : 1U) << to_string(method);
    EXPECT_FALSE(result.known_groups[3]);
    EXPECT_FALSE(result.known_groups[4]);
  }
}

TEST(MergeSmall, WithoutNoiseCountsAreExact) {
  const Dataset data = with_small_groups();
  TrainingRequest request = merging(Method::kFermi);
  request.merge_small = 41;
  const TrainingPlan plan = plan_training(request, data, 1).value();
  ResearchLedger ledger;
  const TrainingResult result = train(data, plan, ledger, seeded_noise(1)).value();
  EXPECT_THAT(result.merged, ElementsAre(0, 1, 2, 2, 2));
  EXPECT_FALSE(result.statement.cost.has_value());
}

// All of them together are too few to be compared with anybody: nothing is, and nothing breaks.
TEST(MergeSmall, AcceptsATableWithOneGroup) {
  const Dataset data = with_small_groups();
  for (const Method method : {Method::kDpFermi, Method::kSketch, Method::kFermi}) {
    TrainingRequest request = merging(method);
    request.merge_small = 100000;
    const TrainingPlan plan = plan_training(request, data, 1).value();
    ResearchLedger ledger;
    const auto result = train(data, plan, ledger, seeded_noise(1));
    ASSERT_TRUE(result.has_value()) << result.error().message;
    EXPECT_THAT(result->merged, ElementsAre(0, 0, 0, 0, 0));
  }
}

TEST(MergeSmall, ARunThatGoesOnAfterACrashKeepsItsGroups) {
  const Dataset data = with_small_groups();
  const TrainingPlan plan = plan_training(merging(Method::kDpFermi), data, 1).value();
  ResearchLedger ledger;
  std::vector<TrainingCheckpoint> checkpoints;
  TrainingHooks hooks;
  hooks.checkpoint_every = plan.steps / 2;
  hooks.checkpoint = [&](const TrainingCheckpoint& checkpoint) -> Status {
    checkpoints.push_back(checkpoint);
    return {};
  };
  const TrainingResult whole = train(data, plan, ledger, seeded_noise(1), hooks).value();
  ASSERT_FALSE(checkpoints.empty());
  const TrainingCheckpoint first = checkpoints.front();
  EXPECT_EQ(first.merged, whole.merged);
  hooks.resume = &first;
  const TrainingResult again = train(data, plan, ledger, seeded_noise(1), hooks).value();
  EXPECT_EQ(again.theta, whole.theta);
  EXPECT_EQ(again.merged, whole.merged);
}

TEST(MergeSmall, IsRefusedWhereNothingWouldMerge) {
  const Dataset data = with_small_groups();
  for (const Method method : {Method::kErm, Method::kCoin, Method::kRepair}) {
    const auto plan = plan_training(merging(method), data, 1);
    ASSERT_FALSE(plan.has_value());
    EXPECT_THAT(plan.error().message, testing::HasSubstr("`merge_small` is for dp-fermi"));
  }
  TrainingRequest one = merging(Method::kSketch);
  one.merge_small = 1;
  EXPECT_FALSE(plan_training(one, data, 1).has_value());
}

}  // namespace
}  // namespace dpfermi
