#include "model/tree_ensemble.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "model/network.h"

namespace dpfermi {
namespace {

/// Column 0 is a number, columns 1 and 2 are a category.
HybridMatrix three_rows() {
  HybridMatrix x(3, 1, 1, 3);
  const std::array numbers = {-1.0F, 0.5F, 2.0F};
  const std::array<std::uint16_t, 3> ones = {1, 2, 3};  // the last row has no category
  for (std::size_t i = 0; i < 3; ++i) {
    x.row(i).numbers[0] = numbers[i];
    x.row(i).ones[0] = ones[i];
  }
  return x;
}

/// [number < 0.5: 1, else [category 2: 3, else 2]], then a leaf of 0.25.
std::vector<float> two_trees() {
  return {0, 0.5F, 2, -1, 1, 0, 2, 0.5F, 2, -1, 2, 0, -1, 3, 0, -1, 0.25F, 0};
}

ModelSpec spec_of(const std::vector<float>& theta, std::size_t classes = 2) {
  ModelSpec spec{3, classes, {}, true};
  spec.tree_nodes = theta.size() / 3;
  return spec;
}

std::vector<float> probabilities_of(const std::vector<float>& theta, std::size_t classes = 2) {
  const std::vector<double> wide(theta.begin(), theta.end());
  return predict(Network(spec_of(theta, classes)), wide, three_rows());
}

TEST(TreeEnsemble, AddsUpTheLeavesThatARowReaches) {
  ASSERT_TRUE(check_trees(spec_of(two_trees()), two_trees()));
  const std::vector<float> p = probabilities_of(two_trees());
  const auto sigmoid_of = [](double v) { return 1 / (1 + std::exp(-v)); };
  // The second row: 0.5 is not below 0.5.
  EXPECT_NEAR(p[1], sigmoid_of(1.25), 1e-7);
  EXPECT_NEAR(p[3], sigmoid_of(3.25), 1e-7);
  EXPECT_NEAR(p[5], sigmoid_of(2.25), 1e-7);
  EXPECT_NEAR(p[0] + p[1], 1, 1e-7);
}

TEST(TreeEnsemble, GivesEveryClassATreeInTurn) {
  const std::vector<float> theta = {-1, 1, 0, -1, 2, 0, -1, 3, 0};
  ASSERT_TRUE(check_trees(spec_of(theta, 3), theta));
  const std::vector<float> p = probabilities_of(theta, 3);
  EXPECT_NEAR(p[2] / p[0], std::exp(2), 1e-5);
  EXPECT_NEAR(p[1] / p[0], std::exp(1), 1e-5);
}

TEST(TreeEnsemble, RefusesWhatIsNotWholeTrees) {
  const auto refused = [](std::vector<float> theta, std::size_t classes = 2) {
    const ModelSpec spec = spec_of(theta, classes);
    return !check_trees(spec, theta);
  };
  const auto changed = [](std::size_t at, float value) {
    std::vector<float> theta = two_trees();
    theta[at] = value;
    return theta;
  };
  EXPECT_FALSE(refused(two_trees()));
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused({-1, 1, 0, -1}));  // no whole node
  EXPECT_TRUE(refused(two_trees(), 3));  // two trees for three classes
  for (const float column : {3.0F, -2.0F, 0.5F, 1e9F, NAN, INFINITY}) {
    EXPECT_TRUE(refused(changed(0, column))) << column;
  }
  for (const float right : {0.0F, 1.0F, 3.0F, 2.5F, -2.0F, 1e9F, NAN, INFINITY}) {
    EXPECT_TRUE(refused(changed(2, right))) << right;
  }
  EXPECT_TRUE(refused(changed(5, 1)));                  // a leaf with a child
  EXPECT_TRUE(refused({0, 0, 2, -1, 1, 0}));            // a right child beyond the end
  EXPECT_TRUE(refused({-1, 1, 0, 0, 0, 2, -1, 1, 0}));  // the same after a whole tree
  EXPECT_TRUE(refused({0, 0, 2}));                      // a question without children
}

/// Whatever check_trees lets through can be walked: the sanitizers watch.
TEST(TreeEnsemble, WalksWhateverPassesTheCheck) {
  std::mt19937_64 bits(1);
  const std::array values = {-1.0F, 0.0F, 1.0F, 2.0F, 3.0F, 4.0F, 0.5F, 1e9F, -7.0F};
  std::size_t passed = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    std::vector<float> theta = two_trees();
    theta.resize(3 * (1 + bits() % 6));
    const std::size_t changes = 1 + bits() % 3;
    for (std::size_t i = 0; i < changes; ++i) {
      theta[bits() % theta.size()] = values[bits() % values.size()];
    }
    if (!check_trees(spec_of(theta), theta)) continue;
    ++passed;
    for (const float p : probabilities_of(theta)) EXPECT_TRUE(p >= 0 && p <= 1);
  }
  EXPECT_GT(passed, 100);
}

}  // namespace
}  // namespace dpfermi
