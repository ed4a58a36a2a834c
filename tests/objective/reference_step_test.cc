#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "objective/reference_problem.h"
#include "reference/step.h"

namespace dpfermi::reference {
namespace {

constexpr double kNoClip = std::numeric_limits<double>::infinity();

double norm(const Vector& v) {
  double squares = 0;
  for (const double value : v) squares += value * value;
  return std::sqrt(squares);
}

Batch everybody(const Data& data) {
  Batch batch(data.rows.size());
  std::iota(batch.begin(), batch.end(), std::size_t{0});
  return batch;
}

Estimates exact_step(const Instance& instance) {
  const Batch all = everybody(instance.data);
  const SecretSums sums =
      secret_sums(instance.problem, instance.model, instance.state, instance.data, all, kNoClip);
  return estimate(instance.problem, instance.model, instance.state, instance.data, all, sums, 1);
}

/// Runs `check` on instances of every notion with none to two hidden layers.
template <class Check>
void on_random_instances(unsigned seed, const Check& check) {
  std::mt19937_64 random(seed);
  for (const FairnessNotion notion : kNotions) {
    for (std::size_t trial = 0; trial < 30; ++trial) {
      Instance instance = random_instance(random, notion, trial % 3);
      SCOPED_TRACE(testing::Message() << instance.problem << ", trial " << trial);
      check(instance, random);
    }
  }
}

TEST(ReferenceStep, OverAllUnitsIsTheGradientInTheta) {
  on_random_instances(1, [](Instance& instance, std::mt19937_64& random) {
    // Whatever the marginals: they are constants of the objective.
    for (double& p : instance.state.marginals) {
      p = std::max(0.02, p + uniform(random, -0.1, 0.1));
    }
    const State& state = instance.state;
    const Vector z = all_logits(instance.model, state.theta, instance.data.x);
    const Vector g =
        logit_gradient(instance.problem, instance.data.rows, z, state.marginals, state.w);
    expect_near(exact_step(instance).theta,
                total_theta_gradient(instance.model, state.theta, instance.data.x, g), 1e-12);
  });
}

TEST(ReferenceStep, OverAllUnitsIsTheTableAndTheGradientInW) {
  on_random_instances(2, [](const Instance& instance, std::mt19937_64&) {
    const State& state = instance.state;
    const Rows& rows = instance.data.rows;
    const Problem& problem = instance.problem;
    const Vector z = all_logits(instance.model, state.theta, instance.data.x);
    const Vector shares = condition_shares(problem, rows);
    // A condition that no row meets has no table.
    for (const double share : shares) {
      if (share == 0) return;
    }
    const Estimates step = exact_step(instance);
    expect_near(step.table, joint_probabilities(problem, rows, probabilities(problem, z)), 1e-13);
    expect_near(step.w, w_gradient(problem, rows, z, state.marginals, state.w), 1e-12);
  });
}

// Each row alone, with q = 1/n as if it were a batch: the mean of such estimates is the gradient.
TEST(ReferenceStep, IsUnbiased) {
  on_random_instances(3, [](const Instance& instance, std::mt19937_64&) {
    const auto n = static_cast<double>(instance.data.rows.size());
    const Batch all = everybody(instance.data);
    const Estimates whole = exact_step(instance);
    Vector theta(whole.theta.size(), 0.0);
    Vector table(whole.table.size(), 0.0);
    for (const std::size_t i : all) {
      const SecretSums sums = secret_sums(instance.problem, instance.model, instance.state,
                                          instance.data, {i}, kNoClip);
      const Estimates one = estimate(instance.problem, instance.model, instance.state,
                                     instance.data, all, sums, 1 / n);
      for (std::size_t t = 0; t < theta.size(); ++t) theta[t] += one.theta[t] / n;
      for (std::size_t t = 0; t < table.size(); ++t) table[t] += one.table[t] / n;
    }
    expect_near(theta, whole.theta, 1e-11);
    expect_near(table, whole.table, 1e-11);
  });
}

// What privacy rests on: no contribution is longer than its bound, whatever the group.
TEST(ReferenceStep, ContributionsAreBounded) {
  on_random_instances(4, [](const Instance& instance, std::mt19937_64&) {
    const Problem& problem = instance.problem;
    const Centring centring = centre_contributions(problem, instance.data.rows, instance.state);
    const double table_bound = std::sqrt(1 - 1 / static_cast<double>(problem.groups)) *
                               std::sqrt(1 - 1 / static_cast<double>(problem.classes));
    for (std::size_t i = 0; i < instance.data.rows.size(); ++i) {
      const Vector x = row(instance.data.x, i, instance.model.inputs);
      const Vector f = softmax(logits(instance.model, instance.state.theta, x), problem.tau);
      // |J^T b| <= |J| for |b| <= 1; the Frobenius norm of J is at least its largest stretch.
      double stretch = 0;
      for (std::size_t j = 0; j < problem.classes; ++j) {
        Vector unit(problem.classes, 0.0);
        unit[j] = 1;
        const double length = norm(theta_gradient(instance.model, instance.state.theta, x,
                                                  softmax_pullback(f, problem.tau, unit)));
        stretch += length * length;
      }
      for (std::size_t s = 0; s < problem.groups; ++s) {
        EXPECT_LE(norm(table_contribution(problem, f, s)), table_bound + 1e-15);
        const Vector u = theta_contribution(problem, instance.model, instance.state, centring, x,
                                            instance.data.rows.y[i], s);
        EXPECT_LE(norm(u), std::sqrt(stretch) * (1 + 1e-12));
        EXPECT_LE(norm(clip(u, 0.01)), 0.01 * (1 + 1e-15));
      }
    }
  });
}

TEST(ReferenceStep, HardPredictionsMeetTheBoundOfTheTable) {
  const Problem problem{.groups = 5, .classes = 3};
  EXPECT_NEAR(norm(table_contribution(problem, {0, 1, 0}, 2)), std::sqrt(0.8 * 2 / 3.0), 1e-15);
}

TEST(ReferenceStep, ClipShortensOnlyWhatIsTooLong) {
  EXPECT_EQ(clip({3, 4}, 5), (Vector{3, 4}));
  expect_near(clip({3, 4}, 1), {0.6, 0.8}, 1e-15);
  EXPECT_EQ(clip({0, 0}, 0), (Vector{0, 0}));
}

// For two groups and two classes: the centre is half way, and contributions are +-J^T(1,-1)/sqrt 2.
TEST(ReferenceStep, TwoGroupsPullInOppositeDirections) {
  std::mt19937_64 random(5);
  Instance instance = random_instance(random, FairnessNotion::kDemographicParity);
  while (instance.problem.groups != 2 || instance.problem.classes != 2) {
    instance = random_instance(random, FairnessNotion::kDemographicParity);
  }
  const Centring centring =
      centre_contributions(instance.problem, instance.data.rows, instance.state);
  const Vector x = row(instance.data.x, 0, instance.model.inputs);
  const auto contribution = [&](std::size_t s) {
    return theta_contribution(instance.problem, instance.model, instance.state, centring, x, 0, s);
  };
  Vector mirrored = contribution(1);
  for (double& value : mirrored) value = -value;
  expect_near(contribution(0), mirrored, 1e-13);
  const double f =
      softmax(logits(instance.model, instance.state.theta, x), instance.problem.tau)[1];
  const double slope = instance.problem.tau * f * (1 - f) * std::sqrt(2.0);
  EXPECT_NEAR(norm(contribution(0)), slope * std::sqrt(1 + norm(x) * norm(x)), 1e-12);
}

TEST(ReferenceStep, ParityCostsNothing) {
  std::mt19937_64 random(6);
  for (const FairnessNotion notion : kNotions) {
    Instance instance = random_instance(random, notion);
    // W_rj = sqrt(p_r), the best W of a fair model: every b_r is constant, so nothing is left of
    // it.
    for (double& p : instance.state.marginals) p = 0.25;
    for (double& value : instance.state.w) value = 0.5;
    const Centring centring =
        centre_contributions(instance.problem, instance.data.rows, instance.state);
    EXPECT_EQ(centring.radius, 0);
    const SecretSums sums = secret_sums(instance.problem, instance.model, instance.state,
                                        instance.data, everybody(instance.data), kNoClip);
    EXPECT_EQ(norm(sums.theta), 0);
  }
}

TEST(ReferenceStep, EmptyGroupsAreAllowed) {
  std::mt19937_64 random(7);
  for (const FairnessNotion notion : kNotions) {
    Instance instance = random_instance(random, notion);
    for (std::size_t& y : instance.data.rows.y) y = 0;
    for (std::size_t& s : instance.data.rows.s) s = 0;
    instance.problem.favourable = 1;
    instance.state.marginals = group_marginals(instance.problem, instance.data.rows);
    const Estimates step = exact_step(instance);
    for (const Vector& values : {step.theta, step.mean, step.table, step.w}) {
      for (const double value : values) EXPECT_TRUE(std::isfinite(value));
    }
    const Vector z = all_logits(instance.model, instance.state.theta, instance.data.x);
    const Vector g = logit_gradient(instance.problem, instance.data.rows, z,
                                    instance.state.marginals, instance.state.w);
    expect_near(step.theta,
                total_theta_gradient(instance.model, instance.state.theta, instance.data.x, g),
                1e-12);
  }
}

}  // namespace
}  // namespace dpfermi::reference
