// DP-FERMI's problem against the plain reference: gradients, whole runs, the private sums.

#include "optimize/fermi_problem.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "dpfermi/optimize/oracles.h"
#include "objective/reference_data.h"
#include "parameter_name.h"
#include "privacy/exact_read.h"
#include "privacy/mechanism/fixtures.h"

namespace dpfermi {
namespace {

using reference::Instance;
using reference::Vector;

std::vector<std::uint32_t> everyone(const Dataset& data) {
  std::vector<std::uint32_t> units(data.unit_count);
  std::iota(units.begin(), units.end(), 0U);
  return units;
}

FermiProblem make_problem(const Dataset& data, Instance& instance, Adjacency adjacency,
                          FermiOptions options = {}) {
  options.lambda = instance.problem.lambda;
  options.tau = instance.problem.tau;
  return {
      data, Network(reference::model_spec(instance.model)),
      ErmiPenalty(reference::setting(instance.problem), reference::positive_marginals(instance)),
      adjacency, options};
}

/// The gradient of mean loss + lambda psi in theta, by the reference.
Vector exact_gradient(const Instance& instance, const Vector& theta, const Vector& w) {
  const auto& [problem, model, data, state] = instance;
  const Vector logits = reference::all_logits(model, theta, data.x);
  return reference::total_theta_gradient(
      model, theta, data.x,
      reference::logit_gradient(problem, data.rows, logits, state.marginals, w));
}

/// Checks the gradient of a step over everybody: what is public, if anything is, and the rest.
void expect_exact_gradient(Instance instance, Adjacency adjacency) {
  const Dataset data = reference::dataset(instance);
  FermiProblem problem = make_problem(data, instance, adjacency);
  const Vector theta = reference::reordered(instance.model, instance.state.theta, true);
  Gradients gradients{Vector(problem.theta_size()), Vector(problem.w_size())};
  problem.begin_step(theta, instance.state.w);
  if (features_are_public(adjacency)) problem.add_public(everyone(data), gradients, nullptr);
  problem.add_exact(testing_support::exact_read(), everyone(data), gradients, nullptr);
  reference::expect_near(reference::reordered(instance.model, gradients.theta, false),
                         exact_gradient(instance, instance.state.theta, instance.state.w), 1e-10);
}

struct FermiCase {
  FairnessNotion notion;
  std::size_t layers;
};

class FermiProblemTest : public testing::TestWithParam<FermiCase> {
 protected:
  Instance random_instance(std::mt19937_64& random) {
    return reference::random_instance(random, GetParam().notion, GetParam().layers);
  }
};

TEST_P(FermiProblemTest, PublicAndSecretPartsMakeUpTheGradient) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 40; ++trial) {
    expect_exact_gradient(random_instance(random), Adjacency::kSensitive);
  }
}

// Under the record adjacencies one contribution holds all of it.
TEST_P(FermiProblemTest, TheRecordAdjacenciesPutEverythingIntoTheSecretPart) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 40; ++trial) {
    expect_exact_gradient(random_instance(random), Adjacency::kReplaceRecord);
  }
}

// Forty steps of full-batch descent with W at its closed form, and the same with lambda = 0.
TEST_P(FermiProblemTest, ARunAgreesWithTheReference) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 10; ++trial) {
    Instance instance = random_instance(random);
    if (trial % 2 == 1) instance.problem.lambda = 0;
    const Dataset data = reference::dataset(instance);
    FermiProblem problem = make_problem(data, instance, Adjacency::kSensitive, {.smoothing = 1});
    SolverOptions options;
    options.steps = 40;
    options.theta_rate = [](std::uint64_t) { return 0.1; };
    options.dual = DualRule::kBestResponse;
    SolverState state;
    state.theta = reference::reordered(instance.model, instance.state.theta, true);
    state.w = problem.fairness().penalty().fair_w();
    ExactOracle oracle(testing_support::exact_read());
    const PublicBatches batches = [&] { return everyone(data); };
    ASSERT_TRUE(solve(problem, oracle, batches, options, state).has_value());

    Vector theta = instance.state.theta;
    Vector w = problem.fairness().penalty().fair_w();
    for (int step = 0; step < 40; ++step) {
      const Vector gradient = exact_gradient(instance, theta, w);
      const Vector f = reference::probabilities(
          instance.problem, reference::all_logits(instance.model, theta, instance.data.x));
      w = problem.fairness().penalty().best_w(
          reference::joint_probabilities(instance.problem, instance.data.rows, f),
          Vector(instance.problem.conditions()));
      for (std::size_t i = 0; i < theta.size(); ++i) theta[i] -= 0.1 * gradient[i];
    }
    // Groups without members have p = 1e-3 here and no rows; the table adds p/l to their cells.
    const bool all_there =
        std::ranges::all_of(instance.state.marginals, [](double p) { return p > 2e-3; });
    if (all_there) {
      reference::expect_near(reference::reordered(instance.model, state.theta, false), theta, 1e-6);
    }
  }
}

// The private sum of a step, with next to no noise, is what the reference clips and adds up.
TEST_P(FermiProblemTest, ThePrivateSumIsTheReferencesSum) {
  std::mt19937_64 random(4);
  constexpr double kNoise = 1e-9;
  for (int trial = 0; trial < 20; ++trial) {
    Instance instance = random_instance(random);
    const Dataset data = reference::dataset(instance);
    const double clip_norm = trial % 2 == 0 ? 0.3 : 10;
    FermiProblem problem = make_problem(data, instance, Adjacency::kSensitive,
                                        {.clip_norm = clip_norm, .smoothing = 1});
    const Vector theta = reference::reordered(instance.model, instance.state.theta, true);
    auto privatizer = Privatizer::create(ContributionLayout::create(problem.segments(), 36).value(),
                                         Adjacency::kSensitive, kNoise,
                                         testing_support::permit(testing_support::event(
                                             Adjacency::kSensitive, GaussianRelease{kNoise / 2})),
                                         testing_support::lane(1))
                          .value();
    problem.begin_step(theta, instance.state.w);
    const auto units = static_cast<std::uint32_t>(data.rows());
    ClippedSum sum = problem.clipped_sum(privatizer, Batch::everyone(units), nullptr).value();
    const NoisySum noisy = privatizer.release(std::move(sum)).value();

    reference::Batch all(units);
    std::iota(all.begin(), all.end(), std::size_t{0});
    const reference::SecretSums expected = reference::secret_sums(
        instance.problem, instance.model, instance.state, instance.data, all, clip_norm);
    const Vector actual(noisy.segment(0).begin(), noisy.segment(0).end());
    reference::expect_near(reference::reordered(instance.model, actual, false), expected.theta,
                           2e-3);
    const std::size_t l = instance.problem.classes;
    for (std::size_t i = 0; i < noisy.segment(1).size(); ++i) {
      const double plain = l == 2 ? std::sqrt(2.0) * expected.table[2 * i + 1] : expected.table[i];
      ASSERT_NEAR(noisy.segment(1)[i], plain, 1e-5);
    }
  }
}

// A person with copies of one row counts as that row: same gradients, same clipped sums.
TEST_P(FermiProblemTest, PersonsCountOnce) {
  std::mt19937_64 random(5);
  Instance instance = random_instance(random);
  const Dataset single = reference::dataset(instance);
  Instance twice = instance;
  for (const std::size_t y : instance.data.rows.y) twice.data.rows.y.push_back(y);
  for (const std::size_t s : instance.data.rows.s) twice.data.rows.s.push_back(s);
  twice.data.x.insert(twice.data.x.end(), instance.data.x.begin(), instance.data.x.end());
  Dataset persons = reference::dataset(twice);
  persons.unit_count = single.rows();
  persons.persons = true;
  for (std::uint32_t row = 0; row < persons.rows(); ++row) {
    persons.units[row] = row % static_cast<std::uint32_t>(single.rows());
  }
  const Vector theta = reference::reordered(instance.model, instance.state.theta, true);
  std::vector<Vector> thetas;
  std::vector<Vector> sums;
  for (const Dataset* data : {&single, static_cast<const Dataset*>(&persons)}) {
    FermiProblem problem = make_problem(*data, instance, Adjacency::kSensitive, {.clip_norm = 0.5});
    Gradients gradients{Vector(problem.theta_size()), Vector(problem.w_size())};
    problem.begin_step(theta, instance.state.w);
    problem.add_public(everyone(*data), gradients, nullptr);
    problem.add_exact(testing_support::exact_read(), everyone(*data), gradients, nullptr);
    thetas.push_back(gradients.theta);
    auto privatizer = Privatizer::create(ContributionLayout::create(problem.segments(), 36).value(),
                                         Adjacency::kSensitive, 1e-9,
                                         testing_support::permit(testing_support::event(
                                             Adjacency::kSensitive, GaussianRelease{0.5e-9})),
                                         testing_support::lane(1))
                          .value();
    const auto units = static_cast<std::uint32_t>(data->unit_count);
    const NoisySum noisy =
        privatizer.release(problem.clipped_sum(privatizer, Batch::everyone(units), nullptr).value())
            .value();
    sums.emplace_back(noisy.segment(0).begin(), noisy.segment(0).end());
  }
  reference::expect_near(thetas[1], thetas[0], 1e-11);
  reference::expect_near(sums[1], sums[0], 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Cases, FermiProblemTest,
                         testing::Values(FermiCase{FairnessNotion::kDemographicParity, 0},
                                         FermiCase{FairnessNotion::kEqualizedOdds, 0},
                                         FermiCase{FairnessNotion::kEqualOpportunity, 0},
                                         FermiCase{FairnessNotion::kDemographicParity, 1},
                                         FermiCase{FairnessNotion::kEqualizedOdds, 2}),
                         [](const auto& chosen) {
                           return testing_support::parameter_name(
                               fmt::format("{}_{}_hidden_layers", to_string(chosen.param.notion),
                                           chosen.param.layers));
                         });

TEST(FermiProblem, ProjectsToTheBall) {
  std::mt19937_64 random(6);
  Instance instance = reference::random_instance(random, FairnessNotion::kDemographicParity);
  const Dataset data = reference::dataset(instance);
  const FermiProblem problem = make_problem(data, instance, Adjacency::kSensitive, {.w_radius = 2});
  Vector w{3, 0, 4};
  problem.project(w);
  EXPECT_NEAR(w[0], 1.2, 1e-12);
  EXPECT_NEAR(w[2], 1.6, 1e-12);
  Vector inside{0.3, 0.4};
  problem.project(inside);
  EXPECT_EQ(inside, (Vector{0.3, 0.4}));
}

/// Twenty rows, by categories and, written out, as numbers.
std::pair<Dataset, Dataset> one_table_two_ways() {
  constexpr std::size_t kRows = 20;
  Dataset categories;
  categories.x = HybridMatrix(kRows, 2, std::vector<std::size_t>{3, 2, 4});
  categories.classes = categories.groups = 2;
  categories.unit_count = kRows;
  std::vector<std::uint16_t> s;
  for (std::size_t i = 0; i < kRows; ++i) {
    const HybridMatrix::MutableRow row = categories.x.row(i);
    row.numbers[0] = static_cast<float>(i % 7) - 3;
    row.numbers[1] = static_cast<float>(i % 3) / 2;
    row.ones[0] = static_cast<std::uint16_t>(2 + i % 3);
    row.ones[1] = static_cast<std::uint16_t>(i % 5 == 0 ? 11 : 5 + i % 2);
    row.ones[2] = static_cast<std::uint16_t>(7 + i % 4);
    categories.y.push_back(static_cast<std::uint16_t>(i % 4 == 0 ? 1 : 0));
    categories.units.push_back(static_cast<std::uint32_t>(i));
    s.push_back(static_cast<std::uint16_t>(i / 3 % 2));
  }
  Dataset numbers = categories;
  numbers.x = HybridMatrix(kRows, 11, 0, 11);
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t j = 0; j < 11; ++j) numbers.x.row(i).numbers[j] = categories.x.at(i, j);
  }
  categories.s = Protected(s);
  numbers.s = Protected(s);
  return {std::move(categories), std::move(numbers)};
}

TEST(FermiCategories, CountAsTheirColumns) {
  const auto [categories, numbers] = one_table_two_ways();
  const FairnessSetting setting{FairnessNotion::kEqualizedOdds, 2, 2, 1};
  const GroupMarginals marginals{{0.75, 0.25}, {0.5, 0.5, 0.4, 0.6}};
  Vector theta(12);
  std::iota(theta.begin(), theta.end(), -5.0);
  for (double& entry : theta) entry /= 8;
  for (const Adjacency adjacency : {Adjacency::kSensitive, Adjacency::kReplaceRecord}) {
    for (const double tau : {1.0, 2.0}) {
      const auto gradient = [&](const Dataset& data) {
        FermiProblem problem(data, Network({11, 2, {}}), ErmiPenalty(setting, marginals), adjacency,
                             {.lambda = 2, .tau = tau});
        Gradients gradients{Vector(problem.theta_size()), Vector(problem.w_size())};
        problem.begin_step(theta, problem.fairness().penalty().fair_w());
        if (features_are_public(adjacency)) problem.add_public(everyone(data), gradients, nullptr);
        problem.add_exact(testing_support::exact_read(), everyone(data), gradients, nullptr);
        return gradients;
      };
      const Gradients expected = gradient(numbers);
      const Gradients gradients = gradient(categories);
      reference::expect_near(gradients.theta, expected.theta, 1e-12);
      reference::expect_near(gradients.w, expected.w, 1e-12);
    }
  }
}

}  // namespace
}  // namespace dpfermi
