// DP-FERMI's problem on a network that is held elsewhere, with softmax regression in plain loops
// for a network: it must be the problem on tables.

#include "optimize/deep_problem.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "objective/reference_data.h"
#include "optimize/fermi_problem.h"
#include "optimize/linear_network.h"
#include "parameter_name.h"
#include "privacy/exact_read.h"
#include "privacy/mechanism/fixtures.h"

namespace dpfermi {
namespace {

using reference::Instance;
using reference::Vector;
using testing_support::LinearNetwork;

constexpr double kDeepNoise = 1e-12;

static_assert(MinMaxProblem<DeepProblem> && HasBestResponse<DeepProblem>);

Privatizer noiseless(const std::vector<Segment>& segments, Adjacency adjacency) {
  const double distance = neighbour_distance(adjacency);
  return Privatizer::create(ContributionLayout::create(segments, 36).value(), adjacency, kDeepNoise,
                            testing_support::permit(testing_support::event(
                                adjacency, GaussianRelease{kDeepNoise / distance})),
                            testing_support::lane(1))
      .value();
}

std::vector<std::uint32_t> units_of(const Instance& instance) {
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

struct DeepCase {
  FairnessNotion notion;
  Adjacency adjacency;
  bool watch_decisions;
};

/// One problem twice, on a table and on a network that is softmax regression, both before a step.
struct Pair {
  Pair(std::mt19937_64& random, const DeepCase& chosen, double clip_norm)
      : instance(reference::random_instance(random, chosen.notion)),
        data(reference::dataset(instance)),
        penalty(reference::setting(instance.problem), reference::positive_marginals(instance)),
        options{.lambda = instance.problem.lambda,
                .tau = instance.problem.tau,
                .clip_norm = clip_norm,
                .watch_decisions = chosen.watch_decisions},
        theta(reference::reordered(instance.model, instance.state.theta, true)),
        network(data, theta),
        table(data, Network(reference::model_spec(instance.model)), penalty, chosen.adjacency,
              options),
        deep(DeepProblem::create(data, network, penalty, chosen.adjacency, options).value()),
        expected{Vector(theta.size()), Vector(table.w_size())},
        actual(expected) {
    table.begin_step(theta, instance.state.w);
    deep.begin_step(theta, instance.state.w);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  void expect_equal(double tolerance) const {
    reference::expect_near(actual.theta, expected.theta, tolerance);
    reference::expect_near(actual.w, expected.w, tolerance);
    reference::expect_near(deep.fairness().table().smoothed(), table.fairness().table().smoothed(),
                           tolerance);
  }

  Instance instance;
  Dataset data;
  ErmiPenalty penalty;
  FermiOptions options;
  Vector theta;
  LinearNetwork network;
  FermiProblem table;
  DeepProblem deep;
  Gradients expected, actual;  ///< of the table, of the network
};

class DeepProblemTest : public testing::TestWithParam<DeepCase> {};

// With nothing clipped, a step over everybody is the exact one on the table.
TEST_P(DeepProblemTest, AStepIsThatOnTheTable) {
  std::mt19937_64 random(1);
  const Adjacency adjacency = GetParam().adjacency;
  for (int trial = 0; trial < 30; ++trial) {
    Pair pair(random, GetParam(), 100);
    const std::vector<std::uint32_t> units = units_of(pair.instance);
    if (features_are_public(adjacency)) {
      pair.table.add_public(units, pair.expected, nullptr);
      pair.deep.add_public(units, pair.actual, nullptr);
    }
    pair.table.add_exact(testing_support::exact_read(), units, pair.expected, nullptr);
    pair.deep.add_released(released_sum(pair.deep, pair.instance, adjacency), pair.actual);
    pair.expect_equal(1e-6);
    if (GetParam().watch_decisions) {
      reference::expect_near(pair.deep.fairness().decisions().smoothed(),
                             pair.table.fairness().decisions().smoothed(), 1e-6);
    }
    EXPECT_EQ(pair.deep.fairness().noise_scale(), pair.table.fairness().noise_scale());
  }
}

// Read exactly, without any lattice in between.
TEST_P(DeepProblemTest, ExactTermsAreThoseOfTheTable) {
  std::mt19937_64 random(6);
  for (int trial = 0; trial < 10; ++trial) {
    Pair pair(random, GetParam(), 1);
    const std::vector<std::uint32_t> units = units_of(pair.instance);
    ASSERT_TRUE(pair.table.add_exact(testing_support::exact_read(), units, pair.expected, nullptr)
                    .has_value());
    ASSERT_TRUE(pair.deep.add_exact(testing_support::exact_read(), units, pair.actual, nullptr)
                    .has_value());
    pair.expect_equal(1e-10);
  }
}

TEST_P(DeepProblemTest, RowsAreClippedAsTheReferenceDoes) {
  if (!features_are_public(GetParam().adjacency)) return;
  constexpr double kClip = 0.3;
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 20; ++trial) {
    Pair pair(random, GetParam(), kClip);
    const Instance& instance = pair.instance;
    const NoisySum noisy = released_sum(pair.deep, instance, GetParam().adjacency);
    reference::Batch all(pair.data.rows());
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
  Pair pair(random, GetParam(), 1);
  const std::vector<std::uint32_t> units{3, 1, 4, 0};
  pair.table.add_public(units, pair.expected, nullptr);
  pair.deep.add_public(units, pair.actual, nullptr);
  reference::expect_near(pair.actual.theta, pair.expected.theta, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, DeepProblemTest,
    testing::Values(DeepCase{FairnessNotion::kDemographicParity, Adjacency::kSensitive, false},
                    DeepCase{FairnessNotion::kDemographicParity, Adjacency::kSensitive, true},
                    DeepCase{FairnessNotion::kEqualizedOdds, Adjacency::kSensitive, false},
                    DeepCase{FairnessNotion::kEqualOpportunity, Adjacency::kSensitive, true},
                    DeepCase{FairnessNotion::kDemographicParity, Adjacency::kReplaceRecord, false},
                    DeepCase{FairnessNotion::kEqualizedOdds, Adjacency::kReplaceRecord, true}),
    [](const auto& chosen) {
      return testing_support::parameter_name(
          fmt::format("{}_{}{}", to_string(chosen.param.notion), to_string(chosen.param.adjacency),
                      chosen.param.watch_decisions ? "_watching_decisions" : ""));
    });

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
