#include "model/network.h"

#include <gtest/gtest.h>

#include <numeric>

#include "objective/reference_data.h"
#include "random/lane.h"

namespace dpfermi {
namespace {

using reference::Instance;
using reference::Vector;

class NetworkLayers : public testing::TestWithParam<std::size_t> {};

// Outputs, and the products of the factors that backward() leaves, against the plain loops.
TEST_P(NetworkLayers, AgreesWithTheReference) {
  std::mt19937_64 random(GetParam() + 1);
  for (int trial = 0; trial < 50; ++trial) {
    Instance instance =
        reference::random_instance(random, FairnessNotion::kDemographicParity, GetParam());
    const Dataset data = reference::dataset(instance);
    const Network network(reference::model_spec(instance.model));
    const Vector theta = reference::reordered(instance.model, instance.state.theta, true);
    std::vector<std::uint32_t> rows(data.rows());
    std::iota(rows.begin(), rows.end(), 0U);

    FactorBlock block(network.layers());
    Network::load(data.x, rows, block);
    const std::size_t width = network.outputs();
    Vector outputs(rows.size() * width);
    network.forward(theta, block, outputs);
    const Vector logits =
        reference::all_logits(instance.model, instance.state.theta, instance.data.x);
    const std::size_t l = instance.model.classes;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        ASSERT_NEAR(outputs[i * width + j], logits[i * l + (l == 2 ? 1 : j)], 1e-11);
      }
    }
    const Vector g = reference::random_vector(random, logits.size(), 1);
    const std::span<double> deltas = block.deltas(network.layers().size() - 1);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        deltas[i * width + j] = g[i * l + (l == 2 ? 1 : j)];
      }
    }
    network.backward(theta, block);
    Vector sum(theta.size());
    add_products(block, 1, sum);
    reference::expect_near(
        reference::reordered(instance.model, sum, false),
        reference::total_theta_gradient(instance.model, instance.state.theta, instance.data.x, g),
        1e-11);
  }
}

// Bit by bit: what a unit contributes must not depend on who shares a block with it. Parameters are
// large, so that sums in another order would differ by much more than rounding.
TEST_P(NetworkLayers, ARowIsTheSameInEveryBlock) {
  std::mt19937_64 random(GetParam() + 7);
  const std::size_t hidden = GetParam();
  const ModelSpec spec{9, 3, std::vector<std::size_t>(hidden, 13)};
  const Network network(spec);
  HybridMatrix x(40, spec.inputs, 0, spec.inputs);
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (float& number : x.row(i).numbers) number = normal(random);
  }
  const Vector theta = reference::random_vector(random, spec.parameter_count(), 1e12);
  const auto factors = [&](const std::vector<std::uint32_t>& rows) {
    FactorBlock block(network.layers());
    Network::load(x, rows, block);
    Vector outputs(rows.size() * network.outputs());
    network.forward(theta, block, outputs);
    const std::span<double> deltas = block.deltas(hidden);
    std::ranges::copy(outputs, deltas.begin());
    network.backward(theta, block);
    Vector last(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(network.outputs()));
    last.insert(last.end(), block.deltas(0).begin(),
                block.deltas(0).begin() + static_cast<std::ptrdiff_t>(network.layers()[0].outputs));
    return last;
  };
  for (std::uint32_t row = 0; row < 5; ++row) {
    const Vector alone = factors({row});
    for (std::uint32_t others = 1; others < 35; ++others) {
      std::vector<std::uint32_t> rows{row};
      for (std::uint32_t i = 0; i < others; ++i) rows.push_back(5 + i);
      ASSERT_EQ(factors(rows), alone) << others << " others";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Hidden, NetworkLayers, testing::Values(0, 1, 2, 3));

TEST(Network, OnesAreOnesAndNoColumnIsNothing) {
  HybridMatrix x(3, 1, 2, 5);
  for (std::size_t i = 0; i < 3; ++i) x.row(i).numbers[0] = static_cast<float>(i) - 0.5F;
  const std::uint16_t ones[3][2] = {{1, 3}, {2, 5}, {5, 5}};
  for (std::size_t i = 0; i < 3; ++i) std::ranges::copy(ones[i], x.row(i).ones.begin());
  for (const std::size_t classes : {2U, 3U}) {
    const Network network({5, classes, {}});
    std::vector<double> theta(network.spec().parameter_count());
    std::iota(theta.begin(), theta.end(), 1.0);
    FactorBlock block(network.layers());
    const std::vector<std::uint32_t> rows{2, 0, 1};
    Network::load(x, rows, block);
    const std::size_t width = network.outputs();
    std::vector<double> outputs(3 * width);
    network.forward(theta, block, outputs);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t o = 0; o < width; ++o) {
        double expected = theta[5 * width + o];
        for (std::size_t j = 0; j < 5; ++j) {
          expected += static_cast<double>(x.at(rows[i], j)) * theta[j * width + o];
        }
        EXPECT_NEAR(outputs[i * width + o], expected, 1e-12);
      }
    }
  }
}

TEST(Network, PredictsProbabilities) {
  std::mt19937_64 random(4);
  Instance instance = reference::random_instance(random, FairnessNotion::kNone, 1);
  const Dataset data = reference::dataset(instance);
  const Network network(reference::model_spec(instance.model));
  const Vector theta = reference::reordered(instance.model, instance.state.theta, true);
  const std::vector<float> probabilities = predict(network, theta, data.x);
  ASSERT_EQ(probabilities.size(), data.rows() * data.classes);
  const Vector logits =
      reference::all_logits(instance.model, instance.state.theta, instance.data.x);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const Vector f = reference::softmax(reference::row(logits, i, data.classes), 1);
    for (std::size_t j = 0; j < data.classes; ++j) {
      EXPECT_NEAR(probabilities[i * data.classes + j], f[j], 1e-6);
    }
  }
}

TEST(InitialParameters, AreZeroForRegressionAndSpreadOtherwise) {
  const auto lane = [] {
    NoiseSource source{ReproducibleSeed::from_number(1).value()};
    return source.open(Purpose::kInitialValues).value();
  };
  const std::vector<double> zeros = InitialParameters::draw({7, 3, {}}, lane()).value();
  EXPECT_EQ(zeros, std::vector<double>(24));
  const ModelSpec spec{50, 2, {20}};
  const std::vector<double> theta = InitialParameters::draw(spec, lane()).value();
  const double square = std::inner_product(theta.begin(), theta.end(), theta.begin(), 0.0);
  EXPECT_NEAR(square, 20, 3);  // 50 x 20 weights of variance 1/50
  EXPECT_EQ(theta, InitialParameters::draw(spec, lane()).value());
}

}  // namespace
}  // namespace dpfermi
