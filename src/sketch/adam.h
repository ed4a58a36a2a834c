#pragma once

#include <cmath>
#include <span>
#include <vector>

namespace dpfermi {

/// Adam (Kingma and Ba, 2015) with its usual constants: steps of gradient means over the root of
/// means of squares.
class Adam {
 public:
  explicit Adam(std::size_t size) : mean_(size), square_(size) {}

  void step(std::span<const double> gradient, double rate, std::span<double> theta) {
    constexpr double kMean = 0.9;
    constexpr double kSquare = 0.999;
    constexpr double kLeast = 1e-8;
    mean_left_ *= kMean;
    square_left_ *= kSquare;
    for (std::size_t i = 0; i < theta.size(); ++i) {
      mean_[i] += (1 - kMean) * (gradient[i] - mean_[i]);
      square_[i] += (1 - kSquare) * (gradient[i] * gradient[i] - square_[i]);
      const double root = std::sqrt(square_[i] / (1 - square_left_));
      theta[i] -= rate * mean_[i] / (1 - mean_left_) / (root + kLeast);
    }
  }

 private:
  std::vector<double> mean_;
  std::vector<double> square_;
  double mean_left_ = 1;  ///< weight of the zeros that the means started from
  double square_left_ = 1;
};

}  // namespace dpfermi
