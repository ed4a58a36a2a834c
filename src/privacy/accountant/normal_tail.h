#pragma once

/// Gaussian tails and the privacy profile of N(mu, 1) against N(0, 1), each with a bound on its own
/// rounding error.

#include <limits>

namespace dpfermi::accountant {

/// Half the spacing of doubles at 1: the relative error of one rounded operation.
inline constexpr double kRoundOff = 0x1p-53;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Of e: well above the exponents of denormal numbers.
inline constexpr double kSmallestExponent = -700;

/// A computed number and a bound on its distance from the exact one.
struct Approximate {
  double value;
  double error;
};

/// ln P(Z > z) for a standard normal Z, to a few units in the last place of z^2.
double log_normal_tail(double z);

/// delta(epsilon) of one Gaussian release with mu = distance / sigma, for any real epsilon:
/// Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu).
Approximate gaussian_delta(double epsilon, double mu);

/// A z >= 0 with P(Z > z) <= tail, from P(Z > z) <= exp(-z^2/2)/2.
double normal_tail_point(double tail);

}  // namespace dpfermi::accountant
