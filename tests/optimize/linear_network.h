#pragma once

/// A DeepNetwork in plain loops: softmax regression in double precision, theta as (inputs + 1) x
/// outputs (model/model_spec.h). It keeps to what model/deep_network.h asks of a secret sum.

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "data/dataset.h"
#include "model/deep_network.h"
#include "model/model_spec.h"

namespace dpfermi::testing_support {

class LinearNetwork final : public DeepNetwork {
 public:
  /// Columns of ones are inputs like any other.
  LinearNetwork(const Dataset& data, std::vector<double> start)
      : spec_{data.x.columns(), data.classes, {}}, y_(data.y), start_(std::move(start)) {
    for (std::size_t i = 0; i < data.rows(); ++i) {
      std::vector<double> x(data.x.columns() + 1);
      x.back() = 1;
      const auto row = data.x.row(i);
      for (std::size_t j = 0; j < row.numbers.size(); ++j) {
        x[j] = static_cast<double>(row.numbers[j]);
      }
      for (const auto one : row.ones) {
        if (one < data.x.columns()) x[one] = 1;
      }
      x_.push_back(std::move(x));
    }
  }

  std::size_t classes() const override { return spec_.classes; }
  std::size_t rows() const override { return x_.size(); }
  const std::vector<double>& start() const override { return start_; }

  Status set_parameters(std::span<const double> theta) override {
    if (fails_after-- == 0) return failed("the network has gone; start it again");
    theta_.assign(theta.begin(), theta.end());
    return {};
  }

  Status gradient(const NetworkRows& rows, std::span<double> mean, std::span<double> f) override {
    std::ranges::fill(mean, 0.0);
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      const std::vector<double> own = row_gradient(rows, i, f);
      for (std::size_t j = 0; j < own.size(); ++j) {
        mean[j] += own[j] / static_cast<double>(rows.rows.size());
      }
    }
    return {};
  }

  Status clipped_sum(const NetworkRows& rows, double clip_norm, double longest,
                     std::span<std::int64_t> sums, std::span<double> f) override {
    if (std::set(rows.rows.begin(), rows.rows.end()).size() != rows.rows.size()) {
      return failed("a row is named twice; name each once");
    }
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      const std::vector<double> own = row_gradient(rows, i, f);
      double square = 0;
      for (const double entry : own) square += entry * entry;
      if (!std::isfinite(square)) continue;
      const double factor = longest * (1 - 1e-12) / std::max(clip_norm, std::sqrt(square));
      for (std::size_t j = 0; j < own.size(); ++j) {
        sums[j] += static_cast<std::int64_t>(own[j] * factor);
      }
    }
    return {};
  }

  int fails_after = -1;  ///< calls of set_parameters until one fails; negative: never

 private:
  static std::vector<double> softmax(std::vector<double> outputs, double tau) {
    const double most = *std::ranges::max_element(outputs);
    double sum = 0;
    for (double& output : outputs) sum += output = std::exp(tau * (output - most));
    for (double& output : outputs) output /= sum;
    return outputs;
  }

  /// Of row i, whose F goes to its place in `f`.
  std::vector<double> row_gradient(const NetworkRows& rows, std::size_t i,
                                   std::span<double> f) const {
    const std::size_t l = spec_.classes;
    const std::size_t outputs = spec_.outputs();
    const std::size_t row = rows.rows[i];
    std::vector<double> logits(l);
    for (std::size_t j = 0; j < x_[row].size(); ++j) {
      for (std::size_t o = 0; o < outputs; ++o) {
        logits[l - outputs + o] += x_[row][j] * theta_[j * outputs + o];
      }
    }
    const std::vector<double> plain = softmax(logits, 1);
    const std::span<double> own = f.subspan(i * l, l);
    std::ranges::copy(softmax(logits, rows.tau), own.begin());
    const std::span<const double> v = rows.functionals.subspan(rows.which[i] * l, l);
    double inner = 0;
    for (std::size_t j = 0; j < l; ++j) inner += own[j] * v[j];
    std::vector<double> gradient(x_[row].size() * outputs);
    for (std::size_t o = 0; o < outputs; ++o) {
      const std::size_t j = l - outputs + o;
      const double d = rows.loss_weight * (plain[j] - (y_[row] == j ? 1 : 0)) +
                       rows.tau * own[j] * (v[j] - inner);
      for (std::size_t k = 0; k < x_[row].size(); ++k) gradient[k * outputs + o] = x_[row][k] * d;
    }
    return gradient;
  }

  ModelSpec spec_;
  std::vector<std::uint16_t> y_;
  std::vector<double> start_, theta_;
  std::vector<std::vector<double>> x_;
};

}  // namespace dpfermi::testing_support
