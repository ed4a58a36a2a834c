#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "objective/reference_problem.h"
#include "reference/model.h"

namespace dpfermi::reference {
namespace {

TEST(ReferenceModel, TwoClassesHaveOneOutput) {
  const Model regression{.inputs = 2, .classes = 2};
  EXPECT_EQ(parameter_count(regression), 3);
  EXPECT_EQ(logits(regression, {2, 3, 0.5}, {1, 10}), (Vector{0, 32.5}));
}

TEST(ReferenceModel, RegressionKeepsABiasInEveryRow) {
  const Model regression{.inputs = 2, .classes = 3};
  EXPECT_EQ(parameter_count(regression), 9);
  EXPECT_EQ(logits(regression, {1, 0, 100, 0, 1, 200, 1, 1, 300}, {7, 8}), (Vector{107, 208, 315}));
}

TEST(ReferenceModel, LayersKeepTheirBiasesAfterTheirWeights) {
  const Model mlp{.inputs = 2, .hidden = {2}, .classes = 3};
  EXPECT_EQ(parameter_count(mlp), 2 * 3 + 3 * 3);
  const Vector theta = {1, 0, 0, 1, 0.1, 0.2,                  // 2 x 2 weights, 2 biases
                        1, 0, 0, 1, 1,   1,   100, 200, 300};  // 3 x 2 weights, 3 biases
  const double a = std::tanh(0.5 + 0.1);
  const double b = std::tanh(-0.3 + 0.2);
  expect_near(logits(mlp, theta, {0.5, -0.3}), {a + 100, b + 200, a + b + 300}, 1e-15);
  const Model binary{.inputs = 2, .hidden = {3, 2}, .classes = 2};
  EXPECT_EQ(parameter_count(binary), 3 * 3 + 2 * 4 + 1 * 3);
}

// theta through the whole objective: both conventions for two classes, several, no to two hidden
// layers, every notion.
TEST(ReferenceModel, GradientOfTheObjectiveMatchesDifferences) {
  std::mt19937_64 random(1);
  for (const FairnessNotion notion : kNotions) {
    for (std::size_t trial = 0; trial < 30; ++trial) {
      const Instance instance = random_instance(random, notion, trial % 3);
      const Problem& problem = instance.problem;
      const Model& model = instance.model;
      SCOPED_TRACE(testing::Message() << problem << ", " << trial % 3 << " hidden layers");
      const Data& data = instance.data;
      const State& state = instance.state;
      const auto value = [&](const Vector& theta) {
        return objective(problem, data.rows, all_logits(model, theta, data.x), state.marginals,
                         state.w);
      };
      const Vector z = all_logits(model, state.theta, data.x);
      const Vector g = logit_gradient(problem, data.rows, z, state.marginals, state.w);
      expect_near(total_theta_gradient(model, state.theta, data.x, g),
                  numeric_gradient(value, state.theta), 1e-7);
    }
  }
}

}  // namespace
}  // namespace dpfermi::reference
