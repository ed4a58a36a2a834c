#include "sketch/sketch.h"

#include <gtest/gtest.h>

#include "privacy/exact_read.h"
#include "sketch/synthetic.h"

namespace dpfermi {
namespace {

using testing_support::expected_group_sums;
using testing_support::one_hot;
using testing_support::seeded_noise;
using testing_support::sketch_of;
using testing_support::synthetic;

SketchFeatures encoded(const Dataset& data) {
  return SketchFeatures::create(data, {}).value();
}

TEST(GroupSums, AreThoseOfThePlainLoopWhereTheyAreExact) {
  const Dataset data = synthetic({900, 3, 4, 3, 2, 2});
  const SketchFeatures features = SketchFeatures::create(data, {}).value();
  const FairnessSetting setting{FairnessNotion::kEqualizedOdds, 3, 2, 1};
  const GroupSums exact =
      exact_group_sums(data, setting, vectors_of(features), testing_support::exact_read());
  const GroupSums plain = expected_group_sums(data, setting, vectors_of(features), one_hot(data));
  ASSERT_EQ(exact.sums.size(), plain.sums.size());
  for (std::size_t i = 0; i < plain.sums.size(); ++i) {
    EXPECT_NEAR(exact.sums[i], plain.sums[i], 1e-9);
  }
}

TEST(Sketch, IsTheSumsByConditionAndGroupPlusNoise) {
  for (const std::size_t rows_per_person : {std::size_t{1}, std::size_t{3}}) {
    const Dataset data = synthetic({600, 3, 4, 3, 2, rows_per_person});
    const SketchFeatures features = encoded(data);
    const Sketch sketch = sketch_of(data, features, FairnessNotion::kEqualizedOdds, 20, 7);
    const GroupSums exact =
        expected_group_sums(data, sketch.setting, vectors_of(features), one_hot(data));
    ASSERT_EQ(sketch.sums.sums.size(), 2 * 3 * features.size());
    // Six standard deviations on each of 48 entries: below one alarm in ten million.
    for (std::size_t i = 0; i < exact.sums.size(); ++i) {
      EXPECT_NEAR(sketch.sums.sums[i], exact.sums[i], 6 * sketch.sums.noise + 1e-6);
    }
    EXPECT_GT(sketch.sums.noise, 0);
  }
}

TEST(Sketch, GroupsAddUpToWhatIsPublic) {
  const Dataset data = synthetic({});
  const SketchFeatures features = encoded(data);
  const Sketch sketch = sketch_of(data, features, FairnessNotion::kDemographicParity, 0.5, 7);
  const GroupSums exact =
      expected_group_sums(data, sketch.setting, vectors_of(features), one_hot(data));
  bool noisy = false;
  for (std::size_t j = 0; j < features.size(); ++j) {
    EXPECT_NEAR(sketch.sums.of(0, 0)[j] + sketch.sums.of(0, 1)[j],
                exact.of(0, 0)[j] + exact.of(0, 1)[j], 1e-6);
    noisy = noisy || std::abs(sketch.sums.of(0, 0)[j] - exact.of(0, 0)[j]) > 1e-3;
  }
  EXPECT_TRUE(noisy);
}

TEST(Sketch, CostsWhatWasAskedForAndSaysSo) {
  const Dataset data = synthetic({});
  const SketchFeatures features = encoded(data);
  const Sketch sketch = sketch_of(data, features, FairnessNotion::kDemographicParity, 0.5, 7);
  ASSERT_TRUE(sketch.statement.cost.has_value());
  EXPECT_LE(sketch.statement.cost->epsilon, 0.5);
  EXPECT_GT(sketch.statement.cost->epsilon, 0.49);
  EXPECT_EQ(sketch.statement.releases.size(), 1U);
  EXPECT_EQ(sketch.statement.noise, Reproducibility::kReproducible);
}

/// A flip of one record's group, the worst one: the sums move by no more than what was charged for.
TEST(Sketch, NeighboursAreNoFurtherApartThanTheNoiseAllowsFor) {
  Dataset data = synthetic({300, 3, 4, 3, 2});
  const SketchFeatures features = encoded(data);
  const FairnessSetting setting{FairnessNotion::kEqualizedOdds, 3, 2, 1};
  const PublicVectors vectors = vectors_of(features);
  const double z = 5;
  const double noise =
      z * group_sums_layout(setting, vectors, z).value().step(0) *
      std::ldexp(1.0, group_sums_layout(setting, vectors, z).value().lattice_bits());
  const GroupSums before = expected_group_sums(data, setting, vectors, one_hot(data));
  double furthest = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    std::vector<float> groups = one_hot(data);
    std::rotate(groups.begin() + static_cast<std::ptrdiff_t>(3 * i),
                groups.begin() + static_cast<std::ptrdiff_t>(3 * i + 1),
                groups.begin() + static_cast<std::ptrdiff_t>(3 * i + 3));
    const GroupSums after = expected_group_sums(data, setting, vectors, groups);
    double square = 0;
    for (std::size_t j = 0; j < after.sums.size(); ++j) {
      square += std::pow(after.sums[j] - before.sums[j], 2);
    }
    furthest = std::max(furthest, std::sqrt(square));
  }
  // What was charged: noise of z over vectors of length 1, neighbours sqrt(2) apart.
  EXPECT_LE(furthest, std::sqrt(2.0) * noise / z * (1 + 1e-9));
  EXPECT_GT(furthest, 1.4 * features.spec().clip_norm);
}

/// The edge of a simplex has the same length whatever the number of its corners.
TEST(Sketch, NoiseDoesNotGrowWithTheNumberOfGroups) {
  const auto noise = [](std::size_t groups) {
    const Dataset data = synthetic({400, 4, 3, groups, 2});
    const SketchFeatures features = encoded(data);
    const Sketch sketch = sketch_of(data, features, FairnessNotion::kDemographicParity, 0.5, 7);
    return sketch.sums.noise / features.bound();
  };
  EXPECT_NEAR(noise(2), noise(7), 1e-9);
}

TEST(Sketch, RefusesWhatMakesNoSense) {
  const Dataset data = synthetic({});
  const SketchFeatures features = encoded(data);
  SketchRequest request;
  request.adjacency = Adjacency::kReplaceRecord;
  EXPECT_FALSE(plan_sketch(request, data, 1, features).has_value());
  request = {};
  request.notion = FairnessNotion::kNone;
  EXPECT_FALSE(plan_sketch(request, data, 1, features).has_value());
  request = {};
  request.epsilon = -1;
  EXPECT_FALSE(plan_sketch(request, data, 1, features).has_value());
  request = {};
  request.rounds = 2;
  const SketchPlan plan = plan_sketch(request, data, 1, features).value();
  ResearchLedger ledger;
  EXPECT_FALSE(make_sketch(data, features, plan, ledger, seeded_noise(1)).has_value());
  EXPECT_TRUE(ledger.plans().empty());
}

TEST(Sketch, APlanThatPromisesTooMuchIsRefusedBeforeAnythingIsRead) {
  const Dataset data = synthetic({});
  const SketchFeatures features = encoded(data);
  SketchPlan plan = plan_sketch({}, data, 1, features).value();
  plan.epsilon /= 2;
  ResearchLedger ledger;
  EXPECT_FALSE(make_sketch(data, features, plan, ledger, seeded_noise(1)).has_value());
  EXPECT_TRUE(ledger.plans().empty());
}

TEST(Sketch, ServesTheNotionsThatItsConditionsAllow) {
  const FairnessSetting parity{FairnessNotion::kDemographicParity, 2, 2, 1};
  const FairnessSetting odds{FairnessNotion::kEqualizedOdds, 2, 2, 1};
  const FairnessSetting opportunity{FairnessNotion::kEqualOpportunity, 2, 2, 1};
  EXPECT_TRUE(check_notion(parity, FairnessNotion::kDemographicParity, 1).has_value());
  EXPECT_FALSE(check_notion(parity, FairnessNotion::kEqualizedOdds, 1).has_value());
  EXPECT_TRUE(check_notion(odds, FairnessNotion::kDemographicParity, 1).has_value());
  EXPECT_TRUE(check_notion(odds, FairnessNotion::kEqualOpportunity, 0).has_value());
  EXPECT_TRUE(check_notion(opportunity, FairnessNotion::kEqualOpportunity, 1).has_value());
  EXPECT_FALSE(check_notion(opportunity, FairnessNotion::kEqualOpportunity, 0).has_value());
  // Without a notion there is nothing to train for, whatever the sketch holds.
  EXPECT_FALSE(check_notion(odds, FairnessNotion::kNone, 1).has_value());
}

}  // namespace
}  // namespace dpfermi
