#pragma once

/// Gaussian noise rounded to the integers: K = round(sigma Z), Z standard normal. Added to a sum
/// that already lies on the integer lattice it equals the rounding of the sum plus continuous
/// noise, so every bound for the continuous Gaussian mechanism holds for it unchanged
/// (docs/proofs/lattice-rounding.md).

#include <cstdint>
#include <span>

#include "dpfermi/core/result.h"
#include "random/key_stream.h"

namespace dpfermi {

/// Requires kMinSigma <= sigma <= kMaxSigma, in lattice steps.
/// Ensures: a draw's distribution is within total variation kTotalVariation of the rounded
/// Gaussian, given uniform words; |draw| <= 22 sigma + 1 always. Why: points are drawn uniformly
/// under the bell curve as fixed-point numbers whose further bits are drawn only when a comparison
/// needs them; see docs/proofs/lattice-rounding.md.
class RoundedGaussian {
 public:
  static constexpr double kMinSigma = 0x1p-16;
  static constexpr double kMaxSigma = 0x1p50;
  static constexpr double kTotalVariation = 0x1p-100;

  static Result<RoundedGaussian> create(double sigma);

  /// Fills `draws`; an error (of the stream) means that they must not be used.
  [[nodiscard]] Status draw(KeyStream& stream, std::span<std::int64_t> draws) const;

  double sigma() const { return sigma_; }

 private:
  RoundedGaussian(double sigma, std::uint64_t significand, int shift)
      : sigma_(sigma), significand_(significand), shift_(shift) {}

  double sigma_;
  std::uint64_t significand_;  ///< sigma = significand 2^(55 - shift), exactly
  int shift_;
};

}  // namespace dpfermi
