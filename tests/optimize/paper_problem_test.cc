// The step of the paper's algorithm without its noise is the plain gradient, and its secret vectors
// are no longer than stated.
#include "optimize/paper_problem.h"

#include <gmock/gmock.h>

#include "objective/reference_problem.h"
#include "optimize/group_marginals.h"
#include "optimize/paper_fixtures.h"
#include "privacy/exact_read.h"
#include "privacy/mechanism/fixtures.h"

namespace dpfermi {
namespace {

using reference::Vector;
using testing_support::event;
using testing_support::lane;
using testing_support::permit;
using testing_support::to_dataset;
using testing_support::to_reference;

constexpr double kRadius = 2;
constexpr FairnessNotion kPaperNotions[] = {FairnessNotion::kDemographicParity,
                                            FairnessNotion::kEqualizedOdds};

struct PaperCase {
  reference::Instance instance;
  Dataset data;
  ModelSpec model;
  FairnessSetting setting;
  GroupMarginals marginals;
  std::vector<double> theta, w;
};

PaperCase random_case(std::mt19937_64& random, FairnessNotion notion, std::size_t layers,
                      std::size_t copies) {
  PaperCase c;
  c.instance = reference::random_instance(random, notion, layers);
  reference::Problem& problem = c.instance.problem;
  problem.tau = 1;
  // What the program reads is a float.
  for (double& x : c.instance.data.x) x = static_cast<float>(x);
  c.data = to_dataset(c.instance.data, problem.groups, problem.classes, copies);
  c.model = {c.instance.model.inputs, problem.classes, c.instance.model.hidden};
  c.setting = {notion, problem.groups, problem.classes, problem.favourable};
  c.marginals = exact_marginals(c.data, c.setting, testing_support::exact_read());
  c.theta = reference::random_vector(random, c.model.parameter_count(), 0.7);
  c.w = c.instance.state.w;
  return c;
}

/// L for softmax regression, as plan_paper has it; something large otherwise.
double lipschitz(const PaperCase& c) {
  if (!c.model.hidden.empty()) return 20;
  const std::size_t d = c.model.inputs;
  double largest = 0;
  for (std::size_t i = 0; i < c.instance.data.rows.size(); ++i) {
    double square = 1;
    for (const double x : reference::row(c.instance.data.x, i, d)) square += x * x;
    largest = std::max(largest, square);
  }
  return std::sqrt(largest) * (c.setting.classes == 2 ? std::sqrt(2.0) / 4 : 0.5);
}

/// Both gradients over everybody, with noise far below the tolerance.
Gradients gradients(const PaperCase& c, std::vector<double> w, const PaperOptions& options) {
  constexpr double kNoise = 1e-8;
  PaperProblem problem(c.data, Network(c.model), c.setting, c.marginals, options);
  problem.project(w);
  problem.begin_step(c.theta, w);
  Gradients result{std::vector<double>(problem.theta_size()), std::vector<double>(w.size())};
  const auto n = static_cast<std::uint32_t>(c.data.unit_count);
  std::vector<std::uint32_t> everybody(n);
  std::iota(everybody.begin(), everybody.end(), 0U);
  problem.add_public(everybody, result, nullptr);
  auto privatizer =
      Privatizer::create(ContributionLayout::create(problem.segments(), 36).value(),
                         Adjacency::kSensitive, kNoise,
                         permit(event(Adjacency::kSensitive, GaussianRelease{kNoise / 2})), lane(3))
          .value();
  ClippedSum sum = problem.clipped_sum(privatizer, Batch::everyone(n), nullptr).value();
  problem.add_released(privatizer.release(std::move(sum)).value(), result);
  return result;
}

/// `tolerance` is relative to the longest vector allowed.
void check_case(const PaperCase& c, double tolerance) {
  const reference::Problem& reference_problem = c.instance.problem;
  const PaperBounds bounds = paper_bounds(c.setting, c.marginals);
  const auto n = static_cast<double>(c.data.unit_count);
  const PaperOptions options{.lambda = reference_problem.lambda,
                             .batch = n,
                             .theta_bound = bounds.theta * lipschitz(c) * kRadius,
                             .w_bound = bounds.w,
                             .w_radius = kRadius};
  const Gradients actual = gradients(c, c.w, options);

  std::vector<double> w = c.w;
  PaperProblem(c.data, Network(c.model), c.setting, c.marginals, options).project(w);
  const reference::Data& data = c.instance.data;
  const Vector theta = to_reference(c.model, c.theta);
  const Vector logits = reference::all_logits(c.instance.model, theta, data.x);
  const Vector by_logits = reference::logit_gradient(reference_problem, data.rows, logits,
                                                     c.instance.state.marginals, w);
  const Vector expected_theta =
      reference::total_theta_gradient(c.instance.model, theta, data.x, by_logits);
  const Vector expected_w =
      reference::w_gradient(reference_problem, data.rows, logits, c.instance.state.marginals, w);
  const double lambda = reference_problem.lambda;
  reference::expect_near(to_reference(c.model, actual.theta), expected_theta,
                         tolerance * lambda * options.theta_bound);
  reference::expect_near(actual.w, expected_w, 1e-7 * lambda * options.w_bound);
}

TEST(PaperProblem, WithoutNoiseItsStepIsTheReferenceGradient) {
  std::mt19937_64 random(11);
  for (const FairnessNotion notion : kPaperNotions) {
    for (int trial = 0; trial < 30; ++trial) {
      SCOPED_TRACE(testing::Message() << to_string(notion) << " " << trial);
      // The factors of products are truncated to 18 bits.
      check_case(random_case(random, notion, 0, 1), 0x1p-18);
    }
  }
}

TEST(PaperProblem, APersonCountsWithTheMeanOverTheirRows) {
  std::mt19937_64 random(12);
  for (const FairnessNotion notion : kPaperNotions) {
    for (int trial = 0; trial < 10; ++trial) {
      SCOPED_TRACE(testing::Message() << to_string(notion) << " " << trial);
      check_case(random_case(random, notion, trial % 3, 3), 1e-7);
    }
  }
}

TEST(PaperProblem, ShorterBoundsClip) {
  std::mt19937_64 random(13);
  const PaperCase c = random_case(random, FairnessNotion::kDemographicParity, 0, 1);
  PaperOptions options{
      .lambda = 1, .batch = 1, .theta_bound = 100, .w_bound = 100, .w_radius = kRadius};
  const Gradients whole = gradients(c, c.w, options);
  options.w_bound = 0.01;
  const Gradients clipped = gradients(c, c.w, options);
  double difference = 0;
  for (std::size_t i = 0; i < whole.w.size(); ++i) {
    difference = std::max(difference, std::abs(whole.w[i] - clipped.w[i]));
  }
  EXPECT_GT(difference, 0.1);
}

/// The theorem's sensitivities over the batch: 2 sqrt(2) L D / sqrt(rho) and 2 sqrt(2) / sqrt(rho).
TEST(PaperProblem, BoundsAreHalfTheTheoremsSensitivities) {
  const auto bounds_of = [](std::vector<double> p) {
    const FairnessSetting setting{FairnessNotion::kDemographicParity, p.size(), 2, 1};
    return paper_bounds(setting, {{1.0}, std::move(p)});
  };
  const PaperBounds equal = bounds_of({0.5, 0.5});
  EXPECT_NEAR(equal.theta, std::sqrt(2 / 0.5), 1e-12);
  EXPECT_NEAR(equal.w, std::sqrt(2 / 0.5), 1e-12);
  EXPECT_EQ(equal.rho, 0.5);

  // Unequal shares: the mean of 1/p is below 1/rho.
  const PaperBounds unequal = bounds_of({0.2, 0.8});
  EXPECT_NEAR(unequal.theta, std::sqrt(5 + 1.25), 1e-12);
  EXPECT_NEAR(unequal.w, std::sqrt(5 + 1.25), 1e-12);
  EXPECT_EQ(unequal.rho, 0.2);

  // Three groups: a ball is wider than half a diameter; W pays for it, theta does not.
  const PaperBounds three = bounds_of({1.0 / 3, 1.0 / 3, 1.0 / 3});
  EXPECT_NEAR(three.theta, std::sqrt(2 * 3.0), 1e-12);
  EXPECT_NEAR(three.w, 2 * std::sqrt(2.0), 1e-12);

  // An empty group.
  const PaperBounds missing = bounds_of({0.5, 0.5, 0});
  EXPECT_EQ(missing.rho, 0.5);
  EXPECT_NEAR(missing.w, 2, 1e-12);
}

TEST(PaperProblem, ProjectsEveryConditionToItsOwnBall) {
  std::mt19937_64 random(14);
  PaperCase c = random_case(random, FairnessNotion::kEqualizedOdds, 0, 1);
  const PaperProblem problem(c.data, Network(c.model), c.setting, c.marginals,
                             {.w_radius = kRadius});
  const std::size_t block = c.setting.groups * c.setting.classes;
  std::vector<double> w(c.setting.w_size(), 0.01);
  std::fill_n(w.begin(), block, 10.0);
  problem.project(w);
  double square = 0;
  for (std::size_t i = 0; i < block; ++i) square += w[i] * w[i];
  EXPECT_NEAR(std::sqrt(square), kRadius, 1e-12);
  EXPECT_TRUE(std::all_of(w.begin() + static_cast<std::ptrdiff_t>(block), w.end(),
                          [](double entry) { return entry == 0.01; }));
}

}  // namespace
}  // namespace dpfermi
