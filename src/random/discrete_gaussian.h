#pragma once

/// The discrete Gaussian on the integers, P(k) proportional to exp(-k^2 / 2 sigma^2), drawn exactly
/// (Canonne, Kamath, Steinke 2020, Algorithms 1 to 3). For counts: integers in, integers out.

#include <cstdint>
#include <span>

#include "dpfermi/core/result.h"
#include "random/key_stream.h"

namespace dpfermi {

/// Requires kMinSigma <= sigma <= kMaxSigma.
/// Ensures: given uniform words, every draw has exactly the distribution above, except for a cut at
/// |k| >= 100 (floor(sigma) + 1), a mass below 2^-7000; sigma is the number passed in, no
/// approximation of it.
/// Why: a double is a fraction with a power of two below, so sigma^2 is rational and every
/// probability is exp(-rational), which comes from coins of rational bias. All arithmetic is on
/// integers of 512 bits, wide enough for the range of sigma: see src/random/discrete_gaussian.cc.
class DiscreteGaussian {
 public:
  static constexpr double kMinSigma = 0x1p-16;
  static constexpr double kMaxSigma = 0x1p50;

  static Result<DiscreteGaussian> create(double sigma);

  /// Fills `draws`; an error (of the stream) means that they must not be used.
  [[nodiscard]] Status draw(KeyStream& stream, std::span<std::int64_t> draws) const;

  double sigma() const { return sigma_; }

 private:
  DiscreteGaussian(double sigma, std::uint64_t significand, int bits)
      : sigma_(sigma), significand_(significand), bits_(bits) {}

  double sigma_;
  std::uint64_t significand_;  ///< sigma = significand / 2^bits, bits >= 0
  int bits_;
};

}  // namespace dpfermi
