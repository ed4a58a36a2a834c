#pragma once

/// The spectrum of a composition: a product of powers of transforms, with a bound on its error at
/// every frequency.

#include <complex>
#include <cstdint>
#include <vector>

namespace dpfermi::accountant {

/// Two real sequences composed side by side; they travel through the transforms as the real and
/// the imaginary part of one complex sequence.
class SpectrumPair {
 public:
  using Complex = std::complex<double>;

  /// Bounds on the error of one composed sequence: of every value, and in the 2-norm over all.
  struct Errors {
    double point;
    double norm;
  };

  struct Composed {
    std::vector<Complex> values;
    Errors real;
    Errors imaginary;
  };

  explicit SpectrumPair(std::size_t size);

  /// Multiplies by the transform of `sequence`, raised to `count` in both of its parts.
  /// Requires: both parts nonnegative with sum <= 1.
  void multiply(const std::vector<Complex>& sequence, std::uint64_t count);

  Composed invert() const;

 private:
  struct Half {
    std::vector<Complex> value;  ///< frequencies 0 .. size/2; the rest follow by conjugation
    std::vector<double>
        sensitivity;               ///< sum over factors of their error times |d value / d factor|
    std::vector<double> rounding;  ///< error of the products themselves
  };
  static void multiply_at(Half& half, std::size_t j, Complex factor, std::uint64_t count,
                          double error);
  Errors errors_of(const Half& half, double inverse_error) const;

  std::size_t size_;
  std::size_t factors_ = 0;
  Half real_;
  Half imaginary_;
};

}  // namespace dpfermi::accountant
