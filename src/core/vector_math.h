#pragma once

/// Elementary functions over arrays, written so that the compiler vectorises them: the same result
/// on every machine of the architecture, within 1e-15 relative of the exact one.

#include <array>
#include <cstddef>
#include <span>

namespace dpfermi {

/// out_i = 1 / (1 + exp(-scale in_i)).
void sigmoid(std::span<const double> in, double scale, std::span<double> out);

/// sigmoid() of scale 1 and of scale 2, at the price of little more than one.
void sigmoid_twice(std::span<const double> in, std::span<double> out, std::span<double> sharp);

/// Each row of `in` (rows x width): exp(scale in_j) / sum_h exp(scale in_h).
void softmax(std::span<const double> in, std::size_t width, double scale, std::span<double> out);

/// sum_i term(i), i < count, in running sums side by side so that the additions overlap.
template <class Term>
inline double running_sums(std::size_t count, const Term& term) {
  constexpr std::size_t kSums = 8;
  std::array<double, kSums> sums{};
  std::size_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += term(i + k);
  }
  for (; i < count; ++i) sums[0] += term(i);
  for (std::size_t half = kSums / 2; half > 0; half /= 2) {
    for (std::size_t k = 0; k < half; ++k) sums[k] += sums[k + half];
  }
  return sums[0];
}

/// sum_i a_i b_i. Requires equal sizes.
inline double dot(std::span<const double> a, std::span<const double> b) {
  return running_sums(a.size(),
                      [p = a.data(), q = b.data()](std::size_t i) { return p[i] * q[i]; });
}

/// sum_i a_i.
inline double sum(std::span<const double> a) {
  return running_sums(a.size(), [p = a.data()](std::size_t i) { return p[i]; });
}

/// In place.
void hyperbolic_tangent(std::span<double> values);

}  // namespace dpfermi
