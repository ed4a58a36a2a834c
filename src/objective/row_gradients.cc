#include "objective/row_gradients.h"

#include <algorithm>
#include <array>

#include "core/vector_math.h"

namespace dpfermi {

void class_probabilities(std::span<const double> outputs, std::size_t width, double tau,
                         std::span<double> f) {
  if (width == 1) {
    sigmoid(outputs, tau, f);
  } else {
    softmax(outputs, width, tau, f);
  }
}

void class_probabilities(std::span<const double> outputs, std::size_t width, double tau,
                         std::span<double> f, std::span<double> f_sharp) {
  if (width == 1 && tau == 2) {
    sigmoid_twice(outputs, f, f_sharp);
    return;
  }
  class_probabilities(outputs, width, 1, f);
  class_probabilities(outputs, width, tau, f_sharp);
}

void loss_gradient(std::span<const double> f, std::size_t width, std::span<const std::uint16_t> y,
                   std::span<const double> weights, std::span<double> deltas) {
  if (width == 1) {
    for (std::size_t i = 0; i < y.size(); ++i) deltas[i] = weights[i] * (f[i] - y[i]);
    return;
  }
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t start = i * width;
    for (std::size_t j = start; j < start + width; ++j) deltas[j] = weights[i] * f[j];
    deltas[start + y[i]] -= weights[i];
  }
}

void add_functional_gradient(std::span<const double> f, std::size_t width, double tau, double scale,
                             std::span<const double> functionals,
                             std::span<const std::uint32_t> which, std::span<const double> weights,
                             std::span<double> deltas) {
  const double factor = scale * tau;
  if (width == 1 && which.empty()) {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      deltas[i] += weights[i] * (factor * f[i] * (1 - f[i]) * functionals[0]);
    }
    return;
  }
  if (width == 1) {
    // Look-ups first: the arithmetic then runs on vectors.
    constexpr std::size_t kTogether = 64;
    std::array<double, kTogether> v;
    for (std::size_t start = 0; start < which.size(); start += kTogether) {
      const std::size_t count = std::min(kTogether, which.size() - start);
      for (std::size_t i = 0; i < count; ++i) v[i] = functionals[which[start + i]];
      for (std::size_t i = 0; i < count; ++i) {
        const double p = f[start + i];
        deltas[start + i] += weights[start + i] * (factor * p * (1 - p) * v[i]);
      }
    }
    return;
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double* v = functionals.data() + (which.empty() ? 0 : which[i]) * width;
    const double* p = f.data() + i * width;
    double mean = 0;
    for (std::size_t j = 0; j < width; ++j) mean += v[j] * p[j];
    for (std::size_t j = 0; j < width; ++j) {
      deltas[i * width + j] += weights[i] * (factor * p[j] * (v[j] - mean));
    }
  }
}

}  // namespace dpfermi
