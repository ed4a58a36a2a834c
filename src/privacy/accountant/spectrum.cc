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

/// A bound on |x^T - y^T| for |x - y| <= error and |x| = modulus.
double power_error(double modulus, double power_modulus, double count, double error) {
  const double rounding = 8 * kRoundOff * count * power_modulus + 1e-60;
  if (modulus < 0.5) {
    return rounding + count * error * std::pow(std::min(1.0, 0.5 + error), count - 1);
  }
  return rounding +
         count * error * 2 * power_modulus * std::exp(std::min(2 * count * error, 700.0));
}

}  // namespace

SpectrumPair::SpectrumPair(std::size_t size) : size_(size) {
  for (Half* half : {&real_, &imaginary_}) {
    half->value.assign(size / 2 + 1, Complex(1, 0));
    half->error.assign(size / 2 + 1, 0.0);
  }
}

void SpectrumPair::multiply_at(Half& half, std::size_t j, Complex factor, std::uint64_t count,
                               double error) {
  const Complex powered = power(factor, count);
  const double modulus = std::abs(powered);
  const double added = power_error(std::abs(factor), modulus, static_cast<double>(count), error);
  const double before = std::abs(half.value[j]);
  half.error[j] = half.error[j] * (modulus + added) + before * (added + 8 * kRoundOff * modulus);
  half.value[j] = times(half.value[j], powered);
}

void SpectrumPair::multiply(const std::vector<Complex>& sequence, std::uint64_t count) {
  std::vector<Complex> transformed(size_);
  forward_transform(sequence, transformed);
  double squares = 0;
  for (const Complex& value : sequence) squares += std::norm(value);
  // A bound on the 2-norm of the error bounds each of its entries.
  const double error = transform_error(size_) * std::sqrt(static_cast<double>(size_) * squares);
  for (std::size_t j = 0; j <= size_ / 2; ++j) {
    const Complex a = transformed[j];
    const Complex b = std::conj(transformed[j == 0 ? 0 : size_ - j]);
    const Complex difference = a - b;
    multiply_at(real_, j, 0.5 * (a + b), count, error);
    multiply_at(imaginary_, j, {0.5 * difference.imag(), -0.5 * difference.real()}, count, error);
  }
}

SpectrumPair::Composed SpectrumPair::invert() const {
  std::vector<Complex> spectrum(size_);
  double squares = 0;
  double errors[2] = {0, 0};
  for (std::size_t j = 0; j <= size_ / 2; ++j) {
    const Complex u = real_.value[j];
    const Complex v = imaginary_.value[j];
    spectrum[j] = {u.real() - v.imag(), u.imag() + v.real()};
    const bool alone = j == 0 || 2 * j == size_;
    if (!alone) spectrum[size_ - j] = {u.real() + v.imag(), v.real() - u.imag()};
    const double weight = alone ? 1 : 2;
    squares += weight * (std::norm(u) + std::norm(v));
    errors[0] += weight * real_.error[j];
    errors[1] += weight * imaginary_.error[j];
  }
  const auto n = static_cast<double>(size_);
  Composed composed{std::vector<Complex>(size_),
                    {errors[0] / n, errors[1] / n},
                    transform_error(size_) * std::sqrt(squares / n)};
  inverse_transform(spectrum, composed.values);
  return composed;
}

}  // namespace dpfermi::accountant
