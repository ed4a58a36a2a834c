#include "privacy/accountant/normal_tail.h"

#include <algorithm>
#include <cmath>

namespace dpfermi::accountant {
namespace {

constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kLogSqrtTwoPi = 0.91893853320467274178;

}  // namespace

double log_normal_tail(double z) {
  if (z < 25) return std::log(0.5 * std::erfc(z * kSqrtHalf));
  // The asymptotic series of Mills' ratio; its sixth term is below 1e-13 from z = 25 on.
  const double w = 1 / (z * z);
  const double series = -w * (1 - 3 * w * (1 - 5 * w * (1 - 7 * w * (1 - 9 * w))));
  return -0.5 * z * z - std::log(z) - kLogSqrtTwoPi + std::log1p(series);
}

Approximate gaussian_delta(double epsilon, double mu) {
  if (mu == 0) return {std::max(0.0, -std::expm1(epsilon)), 4 * kRoundOff};
  const double near = epsilon / mu - mu / 2;
  const double far = epsilon / mu + mu / 2;
  const double log_near = log_normal_tail(near);
  const double exponent = epsilon + log_normal_tail(far) - log_near;
  const double scale = std::exp(log_near);
  const double value = scale * std::max(0.0, -std::expm1(exponent));
  // Both tails carry the rounding of their arguments, squared, which the difference does not share.
  const double size = 4 + near * near + far * far + std::abs(epsilon);
  return {value, 8 * kRoundOff * size * scale};
}

double normal_tail_point(double tail) {
  return tail >= 0.5 ? 0 : std::sqrt(-2 * std::log(2 * tail));
}

}  // namespace dpfermi::accountant
