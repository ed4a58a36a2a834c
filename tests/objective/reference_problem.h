#pragma once

/// Random small problems for tests against the plain-loop reference.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <ostream>
#include <random>
#include <vector>

#include "reference/step.h"

namespace dpfermi::reference {

struct Instance {
  Problem problem;
  Model model;
  Data data;
  State state;  ///< random theta and W, exact marginals
};

inline double uniform(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

inline std::size_t between(std::mt19937_64& random, std::size_t low, std::size_t high) {
  return std::uniform_int_distribution<std::size_t>(low, high)(random);
}

inline Vector random_vector(std::mt19937_64& random, std::size_t size, double spread) {
  std::normal_distribution<double> normal(0, spread);
  Vector result(size);
  for (double& value : result) value = normal(random);
  return result;
}

/// k in 2..5, l in 2..4, d in 1..6, n in 8..30, any sharpness; groups lean towards small numbers,
/// so that some are rare. `layers` hidden layers.
inline Instance random_instance(std::mt19937_64& random, FairnessNotion notion,
                                std::size_t layers = 0) {
  Instance instance;
  Problem& problem = instance.problem;
  problem.notion = notion;
  problem.groups = between(random, 2, 5);
  problem.classes = between(random, 2, 4);
  problem.favourable = between(random, 0, problem.classes - 1);
  problem.lambda = uniform(random, 0.1, 5);
  problem.tau = std::vector<double>{0.5, 1, 3}[between(random, 0, 2)];

  instance.model.inputs = between(random, 1, 6);
  instance.model.classes = problem.classes;
  for (std::size_t i = 0; i < layers; ++i) {
    instance.model.hidden.push_back(between(random, 1, 4));
  }
  const std::size_t n = between(random, 8, 30);
  instance.data.x = random_vector(random, n * instance.model.inputs, 1);
  for (std::size_t i = 0; i < n; ++i) {
    instance.data.rows.y.push_back(between(random, 0, problem.classes - 1));
    instance.data.rows.s.push_back(
        std::min(between(random, 0, problem.groups - 1), between(random, 0, problem.groups - 1)));
  }
  State& state = instance.state;
  state.theta = random_vector(random, parameter_count(instance.model), 0.7);
  state.w = random_vector(random, problem.conditions() * problem.groups * problem.classes, 0.7);
  state.marginals = group_marginals(problem, instance.data.rows);
  return instance;
}

/// The gradient of a scalar function by central differences.
template <class Function>
Vector numeric_gradient(const Function& function, Vector at) {
  constexpr double kStep = 1e-5;
  Vector gradient(at.size());
  for (std::size_t t = 0; t < at.size(); ++t) {
    const double before = at[t];
    at[t] = before + kStep;
    const double above = function(at);
    at[t] = before - kStep;
    const double below = function(at);
    at[t] = before;
    gradient[t] = (above - below) / (2 * kStep);
  }
  return gradient;
}

/// Equal up to `tolerance`, relative to the largest entry or to one.
inline void expect_near(const Vector& actual, const Vector& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  double largest = 1;
  for (const double value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t t = 0; t < actual.size(); ++t) {
    EXPECT_NEAR(actual[t], expected[t], tolerance * largest) << "entry " << t;
  }
}

inline constexpr FairnessNotion kNotions[] = {
    FairnessNotion::kNone, FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds,
    FairnessNotion::kEqualOpportunity};

inline std::ostream& operator<<(std::ostream& out, const Problem& problem) {
  return out << to_string(problem.notion) << ", k = " << problem.groups
             << ", l = " << problem.classes << ", tau = " << problem.tau;
}

}  // namespace dpfermi::reference
