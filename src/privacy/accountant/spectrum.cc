#include "privacy/accountant/spectrum.h"

#include <algorithm>
#include <cmath>

#include "privacy/accountant/fourier.h"
#include "privacy/accountant/normal_tail.h"

namespace dpfermi::accountant {
namespace {

using Complex = std::complex<double>;

/// The plain product; std::complex's own checks for infinities at every step.
Complex times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// base^exponent for |base| <= 1, to 4 * exponent units of round-off. Values below 1e-60 become 0:
/// products of denormals are slow and count for nothing.
Complex power(Complex base, std::uint64_t exponent) {
  Complex result(1, 0);
  for (;; base = times(base, base)) {
    if (exponent & 1) result = times(result, base);
    exponent >>= 1;
    if (exponent == 0) return result;
    if (std::norm(base) < 1e-120) return {0, 0};
  }
}

/// A bound on |x^T - y^T| / |x - y| for |x| = modulus and |x - y| <= error.
double power_slope(double modulus, double power_modulus, double count, double error) {
  if (modulus < 0.5) return count * std::pow(std::min(1.0, 0.5 + error), count - 1);
  return count * 2 * power_modulus * std::exp(std::min(2 * count * error, 700.0));
}

}  // namespace

SpectrumPair::SpectrumPair(std::size_t size) : size_(size) {
  for (Half* half : {&real_, &imaginary_}) {
    half->value.assign(size / 2 + 1, Complex(1, 0));
    half->sensitivity.assign(size / 2 + 1, 0.0);
    half->rounding.assign(size / 2 + 1, 0.0);
  }
}

void SpectrumPair::multiply_at(Half& half, std::size_t j, Complex factor, std::uint64_t count,
                               double error) {
  const auto repetitions = static_cast<double>(count);
  const Complex powered = power(factor, count);
  const double modulus = std::abs(powered);
  const double before = std::abs(half.value[j]);
  const double slope = power_slope(std::abs(factor), modulus, repetitions, error);
  half.sensitivity[j] = half.sensitivity[j] * modulus + before * error * slope;
  half.rounding[j] =
      half.rounding[j] * modulus + before * (8 * kRoundOff * (repetitions + 1) * modulus + 1e-60);
  half.value[j] = times(half.value[j], powered);
}

void SpectrumPair::multiply(const std::vector<Complex>& sequence, std::uint64_t count) {
  std::vector<Complex> transformed(size_);
  forward_transform(sequence, transformed);
  double squares = 0;
  for (const Complex& value : sequence) squares += std::norm(value);
  // The 2-norm of the error over all frequencies; it bounds each single one as well.
  const double error = transform_error(size_) * std::sqrt(static_cast<double>(size_) * squares);
  for (std::size_t j = 0; j <= size_ / 2; ++j) {
    const Complex a = transformed[j];
    const Complex b = std::conj(transformed[j == 0 ? 0 : size_ - j]);
    const Complex difference = a - b;
    multiply_at(real_, j, 0.5 * (a + b), count, error);
    multiply_at(imaginary_, j, {0.5 * difference.imag(), -0.5 * difference.real()}, count, error);
  }
  ++factors_;
}

SpectrumPair::Errors SpectrumPair::errors_of(const Half& half, double inverse_error) const {
  // With e_c the errors of factor c and s_c their slopes, |sum_j e_cj s_cj| <= |e_c|_2 |s_c|_2 by
  // Cauchy-Schwarz, and sum_c |s_c|_2 <= sqrt(#c) |sum_c s_c|_2 for nonnegative s_c.
  double squares = 0;
  double rounding = 0;
  double largest = 0;
  for (std::size_t j = 0; j < half.value.size(); ++j) {
    const double weight = j == 0 || 2 * j == size_ ? 1 : 2;
    squares += weight * half.sensitivity[j] * half.sensitivity[j];
    rounding += weight * half.rounding[j];
    largest = std::max(largest, half.sensitivity[j]);
  }
  const auto n = static_cast<double>(size_);
  const auto c = static_cast<double>(factors_);
  // Two per cent for what is quadratic in the errors.
  return {1.02 * (std::sqrt(c * squares) + rounding) / n + inverse_error,
          1.02 * (c * largest + rounding) / std::sqrt(n) + inverse_error};
}

SpectrumPair::Composed SpectrumPair::invert() const {
  std::vector<Complex> spectrum(size_);
  double squares = 0;
  for (std::size_t j = 0; j <= size_ / 2; ++j) {
    const Complex u = real_.value[j];
    const Complex v = imaginary_.value[j];
    spectrum[j] = {u.real() - v.imag(), u.imag() + v.real()};
    const bool alone = j == 0 || 2 * j == size_;
    if (!alone) spectrum[size_ - j] = {u.real() + v.imag(), v.real() - u.imag()};
    squares += (alone ? 1 : 2) * (std::norm(u) + std::norm(v));
  }
  const double inverse_error =
      transform_error(size_) * std::sqrt(squares / static_cast<double>(size_));
  Composed composed{std::vector<Complex>(size_), errors_of(real_, inverse_error),
                    errors_of(imaginary_, inverse_error)};
  inverse_transform(spectrum, composed.values);
  return composed;
}

}  // namespace dpfermi::accountant
