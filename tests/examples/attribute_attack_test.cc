#include "attribute_attack.h"

#include <gtest/gtest.h>

#include <random>

namespace dpfermi::examples {
namespace {

TEST(WeightedAuc, CountsPairs) {
  EXPECT_DOUBLE_EQ(weighted_auc({{1, true}, {0, false}}), 1);
  EXPECT_DOUBLE_EQ(weighted_auc({{0, true}, {1, false}}), 0);
  EXPECT_DOUBLE_EQ(weighted_auc({{1, true}, {1, false}}), 0.5);
  EXPECT_DOUBLE_EQ(weighted_auc({{1, true}, {2, true}}), 0.5);
  // (2,1) right with weight 3, (0,1) wrong with weight 1.
  EXPECT_DOUBLE_EQ(weighted_auc({{2, true, 3}, {0, true, 1}, {1, false, 5}}), 0.75);
}

/// Every coin moves the released vector along its target's inputs, in noise of deviation `sigma`.
Worlds simulate(const Eigen::MatrixXd& inputs, Eigen::Index count, double sigma, double shift) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  Worlds worlds{Eigen::MatrixXd(count, inputs.cols()), Eigen::MatrixXd(count, inputs.rows())};
  for (Eigen::Index w = 0; w < count; ++w) {
    for (Eigen::Index i = 0; i < inputs.rows(); ++i) {
      worlds.coins(w, i) = static_cast<double>(random() >> 63);
    }
    worlds.released.row(w) = shift * worlds.coins.row(w) * inputs;
    for (Eigen::Index j = 0; j < inputs.cols(); ++j) {
      // Very unequal deviations: only the whitened statistic sees through.
      worlds.released(w, j) += sigma * (j < 3 ? 20 : 1) * normal(random);
    }
  }
  return worlds;
}

double mean_auc(const Worlds& worlds, const Eigen::MatrixXd& inputs) {
  const Eigen::Index shadows = worlds.coins.rows() / 2;
  const Eigen::MatrixXd ratio = attack(worlds, inputs, shadows);
  std::vector<Guess> guesses;
  for (Eigen::Index w = 0; w < ratio.rows(); ++w) {
    for (Eigen::Index i = 0; i < ratio.cols(); ++i) {
      guesses.push_back({ratio(w, i), worlds.coins(shadows + w, i) > 0.5});
    }
  }
  return weighted_auc(guesses);
}

Eigen::MatrixXd some_inputs() {
  std::srand(3);
  return Eigen::MatrixXd::Random(10, 20);
}

TEST(AttributeAttack, ComesNearTheBestPossible) {
  const Eigen::MatrixXd inputs = some_inputs();
  // The best possible: a shift of sqrt(sum (x_j / sigma_j)^2) deviations, AUC Phi(shift / sqrt 2).
  double best = 0;
  for (Eigen::Index i = 0; i < inputs.rows(); ++i) {
    const double square =
        inputs.row(i).tail(17).squaredNorm() / 4 + inputs.row(i).head(3).squaredNorm() / (4 * 400);
    best += std::erfc(-std::sqrt(square) / 2) / 2 / static_cast<double>(inputs.rows());
  }
  const double found = mean_auc(simulate(inputs, 2000, 2, 1), inputs);
  EXPECT_GT(found, best - 0.03);
  EXPECT_LT(found, best + 0.03);
}

TEST(AttributeAttack, FindsNothingWhereThereIsNothing) {
  const Eigen::MatrixXd inputs = some_inputs();
  EXPECT_NEAR(mean_auc(simulate(inputs, 2000, 2, 0), inputs), 0.5, 0.03);
}

}  // namespace
}  // namespace dpfermi::examples
