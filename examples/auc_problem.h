#pragma once

/// AUC maximisation as a min-max problem (Ying, Wen and Lyu, 2016). The AUC is a mean over pairs of
/// records; so is its square-loss surrogate p(1-p) E[(1 - v.(x - x'))^2 | y = 1, y' = 0]. But up to
/// a constant that is
///
///   min_{a,b} max_alpha  E[ (1-p) (s - a)^2 1[y=1] + p (s - b)^2 1[y=0]
///                           + 2 (1 + alpha) (p s 1[y=0] - (1-p) s 1[y=1]) ] - p (1-p) alpha^2
///
/// with the score s = v.x and p = P(y = 1): a mean over records, which can be sampled, clipped and
/// noised. Rows and labels are secret, p was declared or released; the last term needs no noise.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "dpfermi/optimize/min_max_solver.h"
#include "dpfermi/privacy/statement.h"

namespace dpfermi::examples {

/// v.x for x scaled into the unit ball: inputs are numbers in [-1, 1] and ones.
class LinearScore {
 public:
  explicit LinearScore(const HybridMatrix& x)
      : columns_(x.columns()),
        scale_(1 / std::sqrt(static_cast<double>(x.number_count() + x.category_count()))) {}

  std::size_t columns() const { return columns_; }

  double score(const HybridMatrix::Row& row, std::span<const double> v) const {
    double sum = 0;
    for (std::size_t j = 0; j < row.numbers.size(); ++j) sum += row.numbers[j] * v[j];
    for (const std::uint16_t j : row.ones) sum += j < columns_ ? v[j] : 0;
    return scale_ * sum;
  }

  /// Adds slope * x.
  void add_gradient(const HybridMatrix::Row& row, double slope, std::span<double> v) const {
    for (std::size_t j = 0; j < row.numbers.size(); ++j) v[j] += scale_ * slope * row.numbers[j];
    for (const std::uint16_t j : row.ones) {
      if (j < columns_) v[j] += scale_ * slope;
    }
  }

 private:
  std::size_t columns_;
  double scale_;
};

/// theta = (v, a, b), w = (alpha).
class AucProblem {
 public:
  AucProblem(const Protected<Dataset>& data, LinearScore score, std::size_t positive, double p)
      : data_(&data), score_(score), positive_(positive), p_(p) {}

  std::size_t theta_size() const { return score_.columns() + 2; }
  static std::size_t w_size() { return 1; }

  /// With x in the unit ball a gradient exceeds this only where a score is off by more than one.
  std::vector<Segment> segments() const {
    const double clip_norm = 2 * std::max(p_, 1 - p_);
    return {{theta_size(), clip_norm, 1}, {w_size(), clip_norm, 0.1}};
  }

  void begin_step(std::span<const double> theta, std::span<const double> w) {
    theta_.assign(theta.begin(), theta.end());
    alpha_ = w[0];
  }

  /// Adds the gradient of one record's terms, `out` being (v, a, b, alpha).
  void add_record(const Dataset& data, std::uint32_t row, std::span<double> out) const {
    const std::size_t d = score_.columns();
    const bool positive = data.y[row] == positive_;
    const double weight = positive ? 1 - p_ : p_;
    const double sign = positive ? -1 : 1;
    const std::size_t centre = positive ? d : d + 1;
    const double s = score_.score(data.x.row(row), theta_);
    const double residual = s - theta_[centre];
    score_.add_gradient(data.x.row(row), 2 * weight * (residual + sign * (1 + alpha_)), out);
    out[centre] -= 2 * weight * residual;
    out[d + 2] += 2 * weight * sign * s;
  }

  Result<ClippedSum> clipped_sum(const Privatizer& privatizer, Batch batch, Workers* workers) {
    return privatizer.sum(
        *data_, std::move(batch),
        [&](const Dataset& data, std::uint32_t row, std::span<double> out) {
          add_record(data, row, out);
        },
        workers);
  }

  void add_released(const NoisySum& noisy, Gradients& gradients) const {
    add_mean(noisy.segment(0), noisy.segment(1), noisy.expected_units(), gradients);
  }

  /// The same without privacy, for ExactOracle.
  Status add_exact(const ExactRead& read, std::span<const std::uint32_t> rows, Gradients& gradients,
                   Workers*) const {
    std::vector<double> sum(theta_size() + 1);
    for (const std::uint32_t row : rows) add_record(read.of(*data_), row, sum);
    add_mean(std::span(sum).first(theta_size()), std::span(sum).last(1),
             static_cast<double>(rows.size()), gradients);
    return {};
  }

  /// No term reads public columns: there are none.
  void add_public(std::span<const std::uint32_t>, Gradients&, Workers*) const {}

  /// |alpha| <= 1: at the maximum it is a difference of two mean scores, about 1 at most.
  static void project(std::span<double> w) { w[0] = std::clamp(w[0], -1.0, 1.0); }

 private:
  void add_mean(std::span<const double> theta, std::span<const double> alpha, double records,
                Gradients& gradients) const {
    for (std::size_t j = 0; j < theta.size(); ++j) gradients.theta[j] += theta[j] / records;
    gradients.w[0] += alpha[0] / records - 2 * p_ * (1 - p_) * alpha_;
  }

  const Protected<Dataset>* data_;
  LinearScore score_;
  std::size_t positive_;
  double p_;
  std::vector<double> theta_;  ///< of this step
  double alpha_ = 0;
};

}  // namespace dpfermi::examples
