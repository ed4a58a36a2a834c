#include "core/vector_math.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>

namespace dpfermi {
namespace {

/// exp(x) = 2^k exp(r), |r| <= ln(2)/2, with 13 Taylor terms (the next is below 1e-17), even and
/// odd ones apart so that they overlap. Branchless; x is cut to [-700, 700], NaN stays NaN.
inline double exponential(double x) {
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  constexpr double kLn2High = 0x1.62e42fefa0000p-1;
  constexpr double kLn2Low = 0x1.cf79abc9e3b3ap-40;
  constexpr double kRound = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
  x = std::clamp(x, -700.0, 700.0);
  const double shifted = std::fma(x, kLog2E, kRound);
  const double k = shifted - kRound;
  const double r = std::fma(-k, kLn2Low, std::fma(-k, kLn2High, x));
  const double s = r * r;
  double even = 1.0 / 479001600;
  double odd = 1.0 / 6227020800;
  even = std::fma(even, s, 1.0 / 3628800);
  odd = std::fma(odd, s, 1.0 / 39916800);
  even = std::fma(even, s, 1.0 / 40320);
  odd = std::fma(odd, s, 1.0 / 362880);
  even = std::fma(even, s, 1.0 / 720);
  odd = std::fma(odd, s, 1.0 / 5040);
  even = std::fma(even, s, 1.0 / 24);
  odd = std::fma(odd, s, 1.0 / 120);
  even = std::fma(even, s, 0.5);
  odd = std::fma(odd, s, 1.0 / 6);
  even = std::fma(even, s, 1.0);
  odd = std::fma(odd, s, 1.0);
  const double sum = std::fma(odd, r, even);
  const std::uint64_t power = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
  return sum * std::bit_cast<double>(power);
}

}  // namespace

void sigmoid(std::span<const double> in, double scale, std::span<double> out) {
  assert(in.size() == out.size());
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = 1 / (1 + exponential(-scale * in[i]));
}

void sigmoid_twice(std::span<const double> in, std::span<double> out, std::span<double> sharp) {
  assert(in.size() == out.size() && in.size() == sharp.size());
  for (std::size_t i = 0; i < in.size(); ++i) {
    const double e = exponential(-in[i]);
    out[i] = 1 / (1 + e);
    sharp[i] = 1 / (1 + e * e);
  }
}

void softmax(std::span<const double> in, std::size_t width, double scale, std::span<double> out) {
  assert(in.size() == out.size() && in.size() % width == 0);
  for (std::size_t start = 0; start < in.size(); start += width) {
    const std::span<const double> logits = in.subspan(start, width);
    const double largest = std::ranges::max(logits);
    for (std::size_t j = 0; j < width; ++j) out[start + j] = scale * (logits[j] - largest);
  }
  for (double& value : out) value = exponential(value);
  for (std::size_t start = 0; start < in.size(); start += width) {
    double sum = 0;
    for (std::size_t j = 0; j < width; ++j) sum += out[start + j];
    for (std::size_t j = 0; j < width; ++j) out[start + j] /= sum;
  }
}

void hyperbolic_tangent(std::span<double> values) {
  // For |x| < 0.01 the quotient would lose digits; the odd series to x^7 errs by less than 1e-17.
  for (double& value : values) {
    const double x = value;
    const double square = x * x;
    const double series =
        x * (1 + square * (-1.0 / 3 + square * (2.0 / 15 - square * (17.0 / 315))));
    const double quotient = 1 - 2 / (exponential(2 * x) + 1);
    value = square < 1e-4 ? series : quotient;
  }
}

}  // namespace dpfermi
