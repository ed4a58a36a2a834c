#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "objective/reference_problem.h"
#include "reference/objective.h"

namespace dpfermi::reference {
namespace {

constexpr int kTrials = 25;

Vector logits_of(const Instance& instance) {
  return all_logits(instance.model, instance.state.theta, instance.data.x);
}

/// Marginals as a noisy release gives them: neither exact nor summing to one, but positive.
Vector noisy(const Vector& marginals, std::mt19937_64& random) {
  Vector result = marginals;
  for (double& value : result) value = std::max(0.02, value + uniform(random, -0.1, 0.1));
  return result;
}

void expect_finite(const Vector& values) {
  for (const double value : values) EXPECT_TRUE(std::isfinite(value)) << value;
}

TEST(Reference, SoftmaxAndLossMatchNumbersWorkedOutByHand) {
  const Vector f = softmax({0, std::log(3.0)}, 1);
  EXPECT_NEAR(f[0], 0.25, 1e-15);
  EXPECT_NEAR(f[1], 0.75, 1e-15);
  EXPECT_NEAR(softmax({0, std::log(3.0)}, 2)[1], 0.9, 1e-15);
  EXPECT_NEAR(cross_entropy({0, std::log(3.0)}, 0), std::log(4.0), 1e-15);
  EXPECT_NEAR(cross_entropy({1000, 0}, 1), 1000, 1e-12);
  EXPECT_EQ(softmax({1000, 0}, 3), (Vector{1, 0}));
}

TEST(Reference, GradientsOfSoftmaxAndLossMatchDifferences) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < kTrials; ++trial) {
    const std::size_t l = between(random, 2, 6);
    const double tau = uniform(random, 0.2, 4);
    const std::size_t y = between(random, 0, l - 1);
    const Vector z = random_vector(random, l, 2);
    const Vector g = random_vector(random, l, 1);
    const auto loss = [&](const Vector& at) { return cross_entropy(at, y); };
    expect_near(cross_entropy_gradient(z, y), numeric_gradient(loss, z), 1e-9);
    const auto along = [&](const Vector& at) {
      const Vector f = softmax(at, tau);
      double sum = 0;
      for (std::size_t j = 0; j < l; ++j) sum += f[j] * g[j];
      return sum;
    };
    expect_near(softmax_pullback(softmax(z, tau), tau, g), numeric_gradient(along, z), 1e-8);
  }
}

// Four rows, two groups, hard predictions: P(0,0) = 1/2, P(1,1) = P(0,1) = 1/4, so ERMI is
// (1/4)/(3/4 1/2) + (1/16)/(3/4 1/2) + (1/16)/(1/4 1/2) - 1 = 1/3.
TEST(Reference, ErmiMatchesATableWorkedOutByHand) {
  const Problem problem;
  const Rows rows{{0, 0, 0, 0}, {0, 0, 1, 1}};
  const Vector f = {1, 0, 1, 0, 1, 0, 0, 1};
  const Vector marginals = group_marginals(problem, rows);
  EXPECT_EQ(marginals, (Vector{0.5, 0.5}));
  EXPECT_NEAR(ermi(problem, rows, f, marginals), 1.0 / 3, 1e-15);
  const double root = std::sqrt(0.5);
  expect_near(best_w(problem, rows, f, marginals), {2 / 3.0 / root, 0, 1 / 3.0 / root, 1 / root},
              1e-15);
}

TEST(Reference, ConditionsAreCountedAndWeighted) {
  Problem problem{.notion = FairnessNotion::kEqualizedOdds};
  const Rows rows{{0, 0, 0, 1}, {0, 0, 1, 1}};
  expect_near(group_marginals(problem, rows), {2 / 3.0, 1 / 3.0, 0, 1}, 1e-15);
  EXPECT_EQ(condition_shares(problem, rows), (Vector{0.75, 0.25}));
  EXPECT_EQ(condition_weights(problem, rows), (Vector{0.75, 0.25}));
  problem.notion = FairnessNotion::kEqualOpportunity;
  EXPECT_EQ(group_marginals(problem, rows), (Vector{0, 1}));
  EXPECT_EQ(condition_shares(problem, rows), (Vector{0.25}));
  EXPECT_EQ(condition_weights(problem, rows), (Vector{1}));
  problem.notion = FairnessNotion::kNone;
  EXPECT_TRUE(group_marginals(problem, rows).empty());
}

TEST(Reference, GradientsInLogitsAndWMatchDifferences) {
  std::mt19937_64 random(2);
  for (const FairnessNotion notion : kNotions) {
    for (int trial = 0; trial < kTrials; ++trial) {
      const Instance instance = random_instance(random, notion);
      const Problem& problem = instance.problem;
      SCOPED_TRACE(testing::Message() << problem);
      const Rows& rows = instance.data.rows;
      const Vector z = logits_of(instance);
      const Vector& w = instance.state.w;
      const Vector p = noisy(instance.state.marginals, random);
      expect_near(
          logit_gradient(problem, rows, z, p, w),
          numeric_gradient([&](const Vector& at) { return objective(problem, rows, at, p, w); }, z),
          1e-7);
      expect_near(
          w_gradient(problem, rows, z, p, w),
          numeric_gradient([&](const Vector& at) { return objective(problem, rows, z, p, at); }, w),
          1e-7);
    }
  }
}

// Theorem "FERMI as min-max" of the paper (Lowy et al.): max_W psi is the exact ERMI.
TEST(Reference, PsiAtItsMaximumIsErmi) {
  std::mt19937_64 random(3);
  for (const FairnessNotion notion : kNotions) {
    for (int trial = 0; trial < kTrials; ++trial) {
      const Instance instance = random_instance(random, notion);
      const Problem& problem = instance.problem;
      SCOPED_TRACE(testing::Message() << problem);
      const Rows& rows = instance.data.rows;
      const Vector z = logits_of(instance);
      const Vector f = probabilities(problem, z);
      for (const Vector& p : {instance.state.marginals, noisy(instance.state.marginals, random)}) {
        const Vector best = best_w(problem, rows, f, p);
        const double value = ermi(problem, rows, f, p);
        EXPECT_NEAR(psi(problem, rows, f, p, best), value, 1e-12 * (1 + std::abs(value)));
        expect_near(w_gradient(problem, rows, z, p, best), Vector(best.size(), 0.0), 1e-12);
        // psi is quadratic: it falls by sum_c w_c sum_rj D_rj^2 P(j|c) for a step D off the best W.
        const Vector step = random_vector(random, best.size(), 1);
        const Vector weights = condition_weights(problem, rows);
        const Vector mean = mean_probabilities(problem, rows, f);
        Vector moved = best;
        double drop = 0;
        const std::size_t cells = problem.groups * problem.classes;
        for (std::size_t t = 0; t < best.size(); ++t) {
          const std::size_t c = t / cells;
          moved[t] += step[t];
          drop += weights[c] * step[t] * step[t] * mean[c * problem.classes + t % problem.classes];
        }
        EXPECT_NEAR(psi(problem, rows, f, p, moved), value - drop, 1e-11 * (1 + drop + value));
      }
    }
  }
}

TEST(Reference, EmptyGroupsAddNothing) {
  // Group 2 has no member at all, group 1 none with label 0; label 2 never occurs; and under such
  // logits no row is predicted to be of class 2 or, with label 1, of class 0.
  const Rows rows{{0, 0, 0, 1, 1, 1}, {0, 0, 0, 1, 1, 0}};
  const double never = -2000;
  const Vector z = {1,     0, never, 0,     1, never, 2,     0, never,
                    never, 0, never, never, 0, never, never, 1, never};
  for (const FairnessNotion notion : kNotions) {
    for (const std::size_t favourable : {0, 1, 2}) {
      const Problem problem{notion, 3, 3, favourable, 2, 1};
      SCOPED_TRACE(testing::Message() << problem << ", favourable " << favourable);
      const Vector p = group_marginals(problem, rows);
      const Vector f = probabilities(problem, z);
      const Vector best = best_w(problem, rows, f, p);
      expect_finite(best);
      expect_finite(w_gradient(problem, rows, z, p, best));
      expect_near(w_gradient(problem, rows, z, p, best), Vector(best.size(), 0.0), 1e-13);
      expect_finite(logit_gradient(problem, rows, z, p, best));
      const double value = ermi(problem, rows, f, p);
      EXPECT_TRUE(std::isfinite(value));
      EXPECT_GE(value, -1e-15);
      EXPECT_NEAR(psi(problem, rows, f, p, best), value, 1e-14);
      if (notion == FairnessNotion::kEqualOpportunity) {
        EXPECT_NEAR(value, 0, 1e-15);  // one group, one prediction, or no row
      }
    }
  }
}

TEST(Reference, ParityMeansNoErmi) {
  std::mt19937_64 random(4);
  for (const FairnessNotion notion : kNotions) {
    Instance instance = random_instance(random, notion);
    Vector f(instance.data.rows.size() * instance.problem.classes,
             0.9 / static_cast<double>(instance.problem.classes));
    for (std::size_t i = 0; i < f.size(); i += instance.problem.classes) f[i] += 0.1;
    EXPECT_NEAR(ermi(instance.problem, instance.data.rows, f, instance.state.marginals), 0, 1e-14);
  }
}

}  // namespace
}  // namespace dpfermi::reference
