#include "random/discrete_gaussian.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>

#include "core/text.h"
#include "random/exp_coin.h"
#include "random/uniform.h"

namespace dpfermi {
namespace {

/// Wide enough: sigma = s / 2^p has s < 2^53 and p <= 69; t = floor(sigma) + 1 and |y| < 100 t. For
/// sigma < 1, |y| t 2^2p < 2^145; else t 2^p <= 2s < 2^54 and |y| t 2^2p < 2^115. The numerator
/// below is thus under 2^290, times 2^64 under 2^354; the denominator 2 s^2 2^2p t^2 is under
/// 2^246, times a word and the number of a term under 2^374.
using Wide = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<
    512, 512, boost::multiprecision::unsigned_magnitude, boost::multiprecision::unchecked, void>>;

/// As bernoulli() in uniform.h, for wide fractions.
bool bernoulli_wide(Wide numerator, const Wide& denominator, KeyStream& words) {
  for (;;) {
    const Wide target = numerator << 64;
    const Wide low = denominator * words.next();
    if (low >= target) return false;
    if (target - low >= denominator) return true;
    numerator = target - low;
  }
}

/// True with probability exp(-numerator / denominator), for any fraction >= 0.
bool coin_of_exp(Wide numerator, const Wide& denominator, KeyStream& words) {
  while (numerator > denominator) {
    if (!coin_of_exp_minus_one(words)) return false;
    numerator -= denominator;
  }
  return exp_coin(
      [&](std::uint64_t k) { return bernoulli_wide(numerator, denominator * k, words); });
}

struct Signed {
  std::uint64_t magnitude;
  bool negative;
};

/// Algorithm 2 with scale t: P(y) proportional to exp(-|y| / t). Magnitudes are u + t v with u < t
/// and v geometric; v >= 100 has probability e^-100 and, like the second zero, is drawn again: the
/// condition "|y| < 100 t" then cuts the Gaussian at more than 100 sigma, a mass below 2^-7000.
Signed discrete_laplace(std::uint64_t t, KeyStream& words) {
  for (;;) {
    const std::uint64_t u = uniform_below(t, words);
    if (!exp_coin([&](std::uint64_t k) { return bernoulli(u, t * k, words); })) continue;
    std::uint64_t v = 0;
    while (v < 100 && coin_of_exp_minus_one(words)) ++v;
    const bool negative = (words.next() & 1) != 0;
    const std::uint64_t magnitude = u + t * v;
    if (v < 100 && !(negative && magnitude == 0)) return {magnitude, negative};
  }
}

}  // namespace

Result<DiscreteGaussian> DiscreteGaussian::create(double sigma) {
  if (!(sigma >= kMinSigma && sigma <= kMaxSigma)) {
    return usage_error("discrete Gaussian noise needs 2^-16 <= sigma <= 2^50, not " +
                       shortest(sigma));
  }
  int exponent = 0;
  const double fraction = std::frexp(sigma, &exponent);
  const auto significand = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  return DiscreteGaussian(sigma, significand, 53 - exponent);
}

Status DiscreteGaussian::draw(KeyStream& stream, std::span<std::int64_t> draws) const {
  // Algorithm 3 accepts y with probability exp(-(|y| - sigma^2/t)^2 / 2 sigma^2); with
  // sigma = s / 2^p the exponent is (|y| t 2^2p - s^2)^2 / (2 s^2 2^2p t^2).
  const auto t = static_cast<std::uint64_t>(std::floor(sigma_)) + 1;
  const Wide square = Wide{significand_} * significand_;
  const Wide denominator = (square << (2 * bits_ + 1)) * t * t;
  for (std::int64_t& draw : draws) {
    for (;;) {
      const Signed y = discrete_laplace(t, stream);
      const Wide scaled = (Wide{y.magnitude} * t) << (2 * bits_);
      const Wide distance = scaled > square ? Wide(scaled - square) : Wide(square - scaled);
      if (coin_of_exp(distance * distance, denominator, stream)) {
        const auto value = static_cast<std::int64_t>(y.magnitude);
        draw = y.negative ? -value : value;
        break;
      }
    }
  }
  return stream.status();
}

}  // namespace dpfermi
