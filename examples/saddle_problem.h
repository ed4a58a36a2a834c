#pragma once

/// A nonconvex-strongly-concave problem whose Phi is known in closed form, and which meets the
/// assumptions of the paper's convergence theorem with constants that do not depend on d:
///
///   f(theta, w; x, y) = g(theta) + <w + x, rho(theta)> - <w, y> - |w|^2 / 2,   |w| <= 3/2
///   g(theta) = r^2 / (2 (1 + r^2)),  rho(theta) = theta / sqrt(1 + r^2),  r = |theta|
///
/// with theta, w, x, y in R^d and |x|, |y| <= 1/2. Then w*(theta) = rho(theta) - mean y, which lies
/// in the ball, and
///
///   Phi(theta) = g(theta) + <mean x, rho(theta)> + |rho(theta) - mean y|^2 / 2.
///
/// docs/convergence.md derives the constants.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "dpfermi/optimize/min_max_solver.h"
#include "dpfermi/privacy/protected.h"

namespace dpfermi::examples {

/// The constants of the theorem's assumptions, in its notation.
struct SaddleConstants {
  static constexpr double kLipschitzTheta = 2.33;  ///< L_theta: 3 sqrt(3) / 16 + 1/2 + 3/2
  static constexpr double kLipschitzW = 3;         ///< L_w: 1 + 1/2 + 3/2
  static constexpr double kSmoothTheta = 2.72;     ///< beta_theta: 1 + 2 (3/2) (4/5)^(5/2)
  static constexpr double kSmoothW = 1;            ///< beta_w; mu = 1 as well
  static constexpr double kSmoothBoth = 1;         ///< beta_{theta w}
  static constexpr double kDiameter = 3;           ///< D
  static constexpr double kDescent = 2;            ///< Delta_Phi, from |theta_0| = 1
};

/// n pairs (x, y), entries uniform: x in [0, 1/2] / sqrt(d), y in [-1/2, 0] / sqrt(d).
struct SaddleData {
  SaddleData(std::uint32_t rows, std::size_t d, std::uint64_t seed)
      : n(rows), mean_x(d), mean_y(d) {
    std::mt19937_64 bits(seed);
    const double scale = 0x1p-54 / std::sqrt(static_cast<double>(d));
    const auto uniform = [&] { return scale * static_cast<double>(bits() >> 11U); };
    std::vector<double> values;
    values.reserve(2 * d * n);
    for (std::uint32_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j) mean_x[j] += values.emplace_back(uniform()) / n;
      for (std::size_t j = 0; j < d; ++j) mean_y[j] += values.emplace_back(-uniform()) / n;
    }
    pairs = Protected(std::move(values));
  }

  std::uint32_t n;
  Protected<std::vector<double>> pairs;  ///< x_1, y_1, x_2, y_2, ...
  std::vector<double> mean_x, mean_y;    ///< known to the generator of the data
};

class SaddleProblem {
 public:
  explicit SaddleProblem(const SaddleData& data)
      : data_(&data), d_(data.mean_x.size()), w_part_(d_) {}

  std::size_t theta_size() const { return d_; }
  std::size_t w_size() const { return d_; }

  /// Bounded by the Lipschitz constants: nothing is ever clipped.
  std::vector<Segment> segments() const {
    return {{d_, SaddleConstants::kLipschitzTheta}, {d_, SaddleConstants::kLipschitzW}};
  }

  void begin_step(std::span<const double> theta, std::span<const double> w) {
    move_to(theta);
    theta_part_ = gradient_of_g();
    add_jacobian(w, theta_part_);
    for (std::size_t j = 0; j < d_; ++j) w_part_[j] = theta_[j] / root_ - w[j];
  }

  void add_record(std::span<const double> pair, std::span<double> out) const {
    std::ranges::copy(theta_part_, out.begin());
    add_jacobian(pair.first(d_), out.first(d_));
    for (std::size_t j = 0; j < d_; ++j) out[d_ + j] = w_part_[j] - pair[d_ + j];
  }

  Result<ClippedSum> clipped_sum(const Privatizer& privatizer, Batch batch, Workers* workers) {
    return privatizer.sum(
        data_->pairs, std::move(batch),
        [&](const std::vector<double>& pairs, std::uint32_t i, std::span<double> out) {
          add_record(std::span(pairs).subspan(2 * d_ * i, 2 * d_), out);
        },
        workers);
  }

  void add_released(const NoisySum& noisy, Gradients& gradients) const {
    for (std::size_t j = 0; j < d_; ++j) {
      gradients.theta[j] += noisy.segment(0)[j] / noisy.expected_units();
      gradients.w[j] += noisy.segment(1)[j] / noisy.expected_units();
    }
  }

  void add_public(std::span<const std::uint32_t>, Gradients&, Workers*) const {}

  static void project(std::span<double> w) {
    double square = 0;
    for (const double entry : w) square += entry * entry;
    const double radius = SaddleConstants::kDiameter / 2;
    if (square <= radius * radius) return;
    for (double& entry : w) entry *= radius / std::sqrt(square);
  }

  /// |grad Phi(theta)|^2.
  double stationarity(std::span<const double> theta) {
    move_to(theta);
    std::vector<double> gradient = gradient_of_g();
    std::vector<double> slope(d_);
    for (std::size_t j = 0; j < d_; ++j) {
      slope[j] = data_->mean_x[j] + theta_[j] / root_ - data_->mean_y[j];
    }
    add_jacobian(slope, gradient);
    double square = 0;
    for (const double entry : gradient) square += entry * entry;
    return square;
  }

  double phi(std::span<const double> theta) {
    move_to(theta);
    double sum = (s_ - 1) / (2 * s_);
    for (std::size_t j = 0; j < d_; ++j) {
      const double rho = theta_[j] / root_;
      const double w = rho - data_->mean_y[j];
      sum += data_->mean_x[j] * rho + w * w / 2;
    }
    return sum;
  }

 private:
  void move_to(std::span<const double> theta) {
    theta_.assign(theta.begin(), theta.end());
    s_ = 1;
    for (const double entry : theta) s_ += entry * entry;
    root_ = std::sqrt(s_);
  }

  std::vector<double> gradient_of_g() const {
    std::vector<double> gradient = theta_;
    for (double& entry : gradient) entry /= s_ * s_;
    return gradient;
  }

  /// Adds J u, J = (I - theta theta^T / s) / sqrt(s) the Jacobian of rho.
  void add_jacobian(std::span<const double> u, std::span<double> out) const {
    double dot = 0;
    for (std::size_t j = 0; j < d_; ++j) dot += theta_[j] * u[j];
    const double along = dot / (s_ * root_);
    for (std::size_t j = 0; j < d_; ++j) out[j] += u[j] / root_ - along * theta_[j];
  }

  const SaddleData* data_;
  std::size_t d_;
  std::vector<double> theta_;  ///< where it stands, with s = 1 + |theta|^2 and its root
  double s_ = 1;
  double root_ = 1;
  std::vector<double> theta_part_, w_part_;  ///< what the gradients of all records share
};

}  // namespace dpfermi::examples
