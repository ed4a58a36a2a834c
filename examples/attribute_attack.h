#pragma once

/// An attribute-inference attack on released models, learnt from shadow models.
///
/// Worlds: data sets that differ in the sensitive attributes of m targets alone, each a fair coin,
/// and the model that was trained in each. The attacker holds the models of the first worlds
/// together with their coins, and in every other world the model and everybody's attribute but one
/// target's: the opponent that differential privacy is about.
///
///   1. For target i, two statistics of the released vector t: its product with the target's
///      inputs, x_i . t (the answer of the model to a query), and with the same whitened by the
///      covariance C of t over the worlds, x_i . C^-1 t (the likelihood ratio for a small shift
///      along x_i in Gaussian noise).
///   2. What the other targets' coins explain of them is taken off: least squares over two thirds
///   of
///      the shadow worlds.
///   3. A likelihood ratio of Gaussians with equal covariance, the same for all targets, fitted to
///      the last third, so that it is not taken in by the fit of step 2.

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace dpfermi::examples {

/// W worlds: what was released (W x p), the coins (W x m, 0 or 1).
struct Worlds {
  Eigen::MatrixXd released;
  Eigen::MatrixXd coins;
};

/// How likely the attacker finds 1 instead of 0, as log P(t | 1) / P(t | 0): for every world after
/// the shadow ones (rows) and every target.
inline Eigen::MatrixXd attack(const Worlds& worlds, const Eigen::MatrixXd& inputs,
                              Eigen::Index shadows) {
  using Eigen::Index;
  using Eigen::MatrixXd;
  using Eigen::VectorXd;
  const Index m = worlds.coins.cols();
  const Index others = worlds.coins.rows() - shadows;
  const VectorXd mean = worlds.released.topRows(shadows).colwise().mean();
  const MatrixXd centred = worlds.released.rowwise() - mean.transpose();
  MatrixXd covariance =
      centred.topRows(shadows).transpose() * centred.topRows(shadows) / double(shadows - 1);
  covariance.diagonal().array() += 1e-3 * covariance.diagonal().mean() + 1e-12;
  const MatrixXd whitened = covariance.ldlt().solve(inputs.transpose());
  const MatrixXd statistics[2] = {centred * inputs.transpose(), centred * whitened};

  // Least squares on the coins, with a little ridge.
  const Index fitted = shadows * 2 / 3;
  MatrixXd design(worlds.coins.rows(), m + 1);
  design << VectorXd::Ones(worlds.coins.rows()), worlds.coins;
  const MatrixXd shadow_design = design.topRows(fitted);
  MatrixXd gram = shadow_design.transpose() * shadow_design;
  gram.diagonal().array() += 1;
  const Eigen::LDLT<MatrixXd> factor(gram);
  MatrixXd left[2];
  for (int a = 0; a < 2; ++a) {
    const MatrixXd effect = factor.solve(shadow_design.transpose() * statistics[a].topRows(fitted));
    left[a] = statistics[a] - design * effect;
    const VectorXd scale =
        (left[a].topRows(fitted).colwise().squaredNorm() / double(fitted)).cwiseSqrt();
    for (Index i = 0; i < m; ++i) {
      // The target's own coin stays in.
      left[a].col(i) += worlds.coins.col(i) * effect(i + 1, i) -
                        VectorXd::Constant(worlds.coins.rows(), effect(i + 1, i) / 2);
      left[a].col(i) /= std::max(scale(i), 1e-12);
    }
  }

  // Means and covariance of the pair, over all targets and the other shadow worlds.
  Eigen::Vector2d sums[2] = {Eigen::Vector2d::Zero(), Eigen::Vector2d::Zero()};
  double counts[2] = {0, 0};
  const auto pair = [&](Index w, Index i) { return Eigen::Vector2d(left[0](w, i), left[1](w, i)); };
  for (Index w = fitted; w < shadows; ++w) {
    for (Index i = 0; i < m; ++i) {
      const int coin = worlds.coins(w, i) > 0.5 ? 1 : 0;
      sums[coin] += pair(w, i);
      ++counts[coin];
    }
  }
  const Eigen::Vector2d means[2] = {sums[0] / counts[0], sums[1] / counts[1]};
  Eigen::Matrix2d spread = Eigen::Matrix2d::Identity() * 1e-9;
  for (Index w = fitted; w < shadows; ++w) {
    for (Index i = 0; i < m; ++i) {
      const Eigen::Vector2d off = pair(w, i) - means[worlds.coins(w, i) > 0.5 ? 1 : 0];
      spread += off * off.transpose() / (counts[0] + counts[1]);
    }
  }
  const Eigen::Vector2d direction = spread.ldlt().solve(means[1] - means[0]);
  const Eigen::Vector2d middle = (means[0] + means[1]) / 2;
  MatrixXd ratio(others, m);
  for (Index w = 0; w < others; ++w) {
    for (Index i = 0; i < m; ++i) ratio(w, i) = direction.dot(pair(shadows + w, i) - middle);
  }
  return ratio;
}

/// A guess: how strongly it says 1, what is true, what it weighs.
struct Guess {
  double score;
  bool truth;
  double weight = 1;
};

/// The chance that a 1 scores higher than a 0; half for equal scores. 1/2 where one is missing.
inline double weighted_auc(std::vector<Guess> guesses) {
  std::ranges::sort(guesses, {}, &Guess::score);
  double pairs = 0;
  double zeros = 0;
  double ones = 0;
  for (std::size_t i = 0, end = 0; i < guesses.size(); i = end) {
    double ties[2] = {0, 0};
    for (; end < guesses.size() && guesses[end].score == guesses[i].score; ++end) {
      ties[guesses[end].truth ? 1 : 0] += guesses[end].weight;
    }
    pairs += ties[1] * (zeros + ties[0] / 2);
    zeros += ties[0];
    ones += ties[1];
  }
  return zeros > 0 && ones > 0 ? pairs / (zeros * ones) : 0.5;
}

}  // namespace dpfermi::examples
