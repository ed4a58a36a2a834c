// A stated epsilon against its releases: what the tool states is covered, and what is a little
// smaller is not, however small epsilon is.

#include "privacy/accountant/stated_cost.h"

#include <gtest/gtest.h>

#include "dpfermi/privacy/accountant/price.h"

namespace dpfermi {
namespace {

struct Case {
  const char* name;
  PrivacyEvent::Node node;
  std::uint64_t count;
};

class StatedCostTest : public testing::TestWithParam<Case> {};

TEST_P(StatedCostTest, CoversWhatTheToolStatesAndNothingSmaller) {
  constexpr double kDelta = 1e-6;
  const PrivacyEvent one = PrivacyEvent::create(Adjacency::kSensitive, GetParam().node).value();
  const PrivacyEvent all = one.times(GetParam().count);
  const double stated = priced_charge("test", one, GetParam().count, kDelta, 0)->cost.epsilon;
  const StatedCost honest = check_stated_cost(all, stated, kDelta).value();
  EXPECT_TRUE(honest.covers) << stated << " of " << honest.epsilon;
  EXPECT_LE(honest.epsilon, stated);
  EXPECT_FALSE(check_stated_cost(all, 0.9997 * honest.epsilon, kDelta)->covers);
  EXPECT_FALSE(check_stated_cost(all, 0, kDelta)->covers);
}

INSTANTIATE_TEST_SUITE_P(
    Events, StatedCostTest,
    testing::Values(Case{"OneGaussian", GaussianRelease{5}, 1},
                    Case{"AGaussianOfSmallEpsilon", GaussianRelease{4000}, 1},
                    Case{"Counts", DiscreteGaussianRelease{300, {1, 1}}, 1},
                    Case{"ManySteps", PoissonGaussianRelease{0.01, 2}, 1000},
                    Case{"StepsOfSmallEpsilon", PoissonGaussianRelease{0.001, 20}, 100},
                    Case{"SeenMembers", RevealedPoissonGaussianRelease{0.05, 3}, 50},
                    Case{"Laplace", LaplaceRelease{2000}, 40},
                    Case{"ResponsesOfSmallEpsilon", PureRelease{1e-4}, 20}),
    [](const auto& each) { return each.param.name; });

TEST(StatedCost, OfExactReleasesIsCoveredByNothing) {
  const auto exact = PrivacyEvent::create(Adjacency::kSensitive, ExactRelease{}).value();
  EXPECT_FALSE(check_stated_cost(exact, 1e9, 1e-6)->covers);
}

}  // namespace
}  // namespace dpfermi
