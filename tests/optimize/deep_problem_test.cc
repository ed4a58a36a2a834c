// DP-FERMI's problem on a network that is held elsewhere, with softmax regression in plain loops
// for a network: it must be the problem on tables.

#include "dpfermi/optimize/deep_problem.h"

#include <gtest/gtest.h>

#include <numeric>

#include "dpfermi/optimize/fermi_problem.h"
#include "objective/reference_data.h"
#include "optimize/linear_network.h"
#include "privacy/mechanism/fixtures.h"

namespace dpfermi {
namespace {

using reference::Instance;
using reference::Vector;
using testing_support::LinearNetwork;

constexpr double kNoise = 1e-12;

static_assert(MinMaxProblem<DeepProblem> && HasBestResponse<DeepProblem>);

Privatizer noiseless(const std::vector<Segment>& segments, Adjacency adjacency) {
  const double distance = neighbour_distance(adjacency);
  return Privatizer::create(ContributionLayout::create(segments, 36).value(), adjacency, kNoise,
                            testing_support::permit(testing_support::event(
                                adjacency, GaussianRelease{kNoise / distance})),
                            testing_support::lane(1))
      .value();
}

std::vector<std::uint32_t> everyone(const Instance& instance) {
  std::vector<std::uint32_t> units(instance.data.rows.size());
  std::iota(units.begin(), units.end(), 0U);
  return units;
}

/// The sum over everybody, next to exact.
template <class Problem>
NoisySum released_sum(Problem& problem, const Instance& instance, Adjacency adjacency) {
  Privatizer privatizer = noiseless(problem.segments(), adjacency);
  const auto units = static_cast<std::uint32_t>(instance.data.rows.size());
  ClippedSum sum = problem.clipped_sum(privatizer, Batch::everyone(units), nullptr).value();
  return privatizer.release(std::move(sum)).value();
}

struct Case {
  FairnessNotion notion;
  Adjacency adjacency;
  bool watch_decisions;
};

class DeepProblemTest : public testing::TestWithParam<Case> {
 protected:
  Instance random_instance(std::mt19937_64& random) const {
    return reference::random_instance(random, GetParam().notion);
  }
  FermiOptions options(const Instance& instance, double clip_norm) const {
    return {.lambda = instance.problem.lambda,
            .tau = instance.problem.tau,
            .clip_norm = clip_norm,
            .watch_decisions = GetParam().watch_decisions};
  }
};

// With nothing clipped, a step over everybody is the exact one on the table.
TEST_P(DeepProblemTest, AStepIsThatOnTheTable) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 30; ++trial) {
    Instance instance = random_instance(random);
    const Dataset data = reference::dataset(instance);
    const ErmiPenalty penalty(reference::setting(instance.problem),
                              reference::positive_marginals(instance));
    const FermiOptions chosen = options(instance, 100);
    const Adjacency adjacency = GetParam().adjacency;
    const Vector theta = reference::reordered(instance.model, instance.state.theta, true);
    FermiProblem table(data, Network(reference::model_spec(instance.model)), penalty, adjacency,
                       chosen);
    LinearNetwork network(data, theta);
    DeepProblem deep = DeepProblem::create(data, network, penalty, adjacency, chosen).value();
    Gradients expected{Vector(theta.size()), Vector(table.w_size())};
    Gradients actual = expected;
    const std::vector<std::uint32_t> units = everyone(instance);
    table.begin_step(theta, instance.state.w);
    deep.begin_step(theta, instance.state.w);
    if (features_are_public(adjacency)) {
      table.add_public(units, expected, nullptr);
      deep.add_public(units, actual, nullptr);
    }
    table.add_exact(units, expected, nullptr);
    deep.add_released(released_sum(deep, instance, adjacency), actual);
    reference::expect_near(actual.theta, expected.theta, 1e-6);
    reference::expect_near(actual.w, expected.w, 1e-6);
    reference::expect_near(deep.table().smoothed(), table.table().smoothed(), 1e-6);
    if (GetParam().watch_decisions) {
      reference::expect_near(deep.decisions().smoothed(), table.decisions().smoothed(), 1e-6);
    }
    EXPECT_EQ(deep.noise_scale(), table.noise_scale());
  }
}

// Read exactly, without any lattice in between.
TEST_P(DeepProblemTest, ExactTermsAreThoseOfTheTable) {
  std::mt19937_64 random(6);
  for (int trial = 0; trial < 10; ++trial) {
    Instance instance = random_instance(random);
    const Dataset data = reference::dataset(instance);
    const ErmiPenalty penalty(reference::setting(instance.problem),
                              reference::positive_marginals(instance));
    const Vector theta = reference::reordered(instance.model, instance.state.theta, true);
    FermiProblem table(data, Network(reference::model_spec(instance.model)), penalty,
                       GetParam().adjacency, options(instance, 1));
    LinearNetwork network(data, theta);
    DeepProblem deep =
        DeepProblem::create(data, network, penalty, GetParam().adjacency, options(instance, 1))
            .value();
    Gradients expected{Vector(theta.size()), Vector(table.w_size())};
    Gradients actual = expected;
    table.begin_step(theta, instance.state.w);
    deep.begin_step(theta, instance.state.w);
    ASSERT_TRUE(table.add_exact(everyone(instance), expected, nullptr).has_value());
    ASSERT_TRUE(deep.add_exact(everyone(instance), actual, nullptr).has_value());
    reference::expect_near(actual.theta, expected.theta, 1e-10);
    reference::expect_near(actual.w, expected.w, 1e-10);
    reference::expect_near(deep.table().smoothed(), table.table().smoothed(), 1e-10);
  }
}

TEST_P(DeepProblemTest, RowsAreClippedAsTheReferenceDoes) {
  if (!features_are_public(GetParam().adjacency)) return;
  constexpr double kClip = 0.3;
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 20; ++trial) {
    Instance instance = random_instance(random);
    const Dataset data = reference::dataset(instance);
    const ErmiPenalty penalty(reference::setting(instance.problem),
                              reference::positive_marginals(instance));
    const Vector theta = reference::reordered(instance.model, instance.state.theta, true);
    LinearNetwork network(data, theta);
    DeepProblem deep =
        DeepProblem::create(data, network, penalty, GetParam().adjacency, options(instance, kClip))
            .value();
    deep.begin_step(theta, instance.state.w);
    const NoisySum noisy = released_sum(deep, instance, GetParam().adjacency);
    reference::Batch all(data.rows());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const reference::SecretSums expected = reference::secret_sums(
        instance.problem, instance.model, instance.state, instance.data, all, kClip);
    const Vector actual(noisy.segment(0).begin(), noisy.segment(0).end());
    reference::expect_near(reference::reordered(instance.model, actual, false), expected.theta,
                           1e-6);
  }
}

// The public half alone has no rounding at all.
TEST_P(DeepProblemTest, ThePublicHalfIsThatOnTheTable) {
  if (!features_are_public(GetParam().adjacency)) return;
  std::mt19937_64 random(2);
  Instance instance = random_instance(random);
  const Dataset data = reference::dataset(instance);
  const ErmiPenalty penalty(reference::setting(instance.problem),
                            reference::positive_marginals(instance));
  const Vector theta = reference::reordered(instance.model, instance.state.theta, true);
  FermiProblem table(data, Network(reference::model_spec(instance.model)), penalty,
                     GetParam().adjacency, options(instance, 1));
  LinearNetwork network(data, theta);
  DeepProblem deep =
      DeepProblem::create(data, network, penalty, GetParam().adjacency, options(instance, 1))
          .value();
  const std::vector<std::uint32_t> units{3, 1, 4, 0};
  Gradients expected{Vector(theta.size()), {}};
  Gradients actual = expected;
  table.begin_step(theta, instance.state.w);
  table.add_public(units, expected, nullptr);
  deep.begin_step(theta, instance.state.w);
  deep.add_public(units, actual, nullptr);
  reference::expect_near(actual.theta, expected.theta, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, DeepProblemTest,
    testing::Values(Case{FairnessNotion::kDemographicParity, Adjacency::kSensitive, false},
                    Case{FairnessNotion::kDemographicParity, Adjacency::kSensitive, true},
                    Case{FairnessNotion::kEqualizedOdds, Adjacency::kSensitive, false},
                    Case{FairnessNotion::kEqualOpportunity, Adjacency::kSensitive, true},
                    Case{FairnessNotion::kDemographicParity, Adjacency::kReplaceRecord, false},
                    Case{FairnessNotion::kEqualizedOdds, Adjacency::kReplaceRecord, true}));

TEST(DeepProblem, ANetworkThatFailsEndsTheStepWithItsLine) {
  std::mt19937_64 random(3);
  Instance instance = reference::random_instance(random, FairnessNotion::kDemographicParity);
  const Dataset data = reference::dataset(instance);
  LinearNetwork network(data, reference::reordered(instance.model, instance.state.theta, true));
  network.fails_after = 0;
  DeepProblem problem = DeepProblem::create(data, network,
                                            ErmiPenalty(reference::setting(instance.problem),
                                                        reference::positive_marginals(instance)),
                                            Adjacency::kSensitive, {})
                            .value();
  Gradients gradients{Vector(problem.theta_size()), Vector(problem.w_size())};
  problem.begin_step(network.start(), instance.state.w);
  problem.add_public(std::vector<std::uint32_t>{0, 1}, gradients, nullptr);
  const Privatizer privatizer = noiseless(problem.segments(), Adjacency::kSensitive);
  const auto sum = problem.clipped_sum(privatizer, Batch::everyone(2), nullptr);
  ASSERT_FALSE(sum.has_value());
  EXPECT_EQ(sum.error().message, "the network has gone; start it again");
}

TEST(DeepProblem, RefusesWhatANetworkCannotDo) {
  std::mt19937_64 random(4);
  Instance instance = reference::random_instance(random, FairnessNotion::kDemographicParity);
  Dataset data = reference::dataset(instance);
  const ErmiPenalty penalty(reference::setting(instance.problem),
                            reference::positive_marginals(instance));
  LinearNetwork network(data, {});
  Dataset persons = data;
  persons.units[1] = 0;
  persons.unit_count -= 1;
  EXPECT_FALSE(DeepProblem::create(persons, network, penalty, Adjacency::kSensitive, {}));
  data.classes += 1;
  EXPECT_FALSE(DeepProblem::create(data, network, penalty, Adjacency::kSensitive, {}));
}

}  // namespace
}  // namespace dpfermi
