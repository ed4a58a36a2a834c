#pragma once

/// The discrete Laplace law on the integers, P(k) proportional to exp(-|k| / t), drawn exactly
/// (Canonne, Kamath, Steinke 2020, Algorithm 2).

#include <cstdint>
#include <span>

#include "dpfermi/core/result.h"
#include "random/key_stream.h"

namespace dpfermi {

class DiscreteLaplace {
 public:
  static constexpr std::int64_t kMaxScale = std::int64_t{1} << 34;
  /// Draws beyond kReach t are given as kReach t with their sign, so that they fit. Code that cuts
  /// noisy sums to less than kReach t minus the largest sum releases the exact law, cut: nothing is
  /// lost, see LaplacePrivatizer.
  static constexpr std::int64_t kReach = std::int64_t{1} << 28;

  /// Requires 1 <= scale <= kMaxScale.
  static Result<DiscreteLaplace> create(std::int64_t scale);

  /// Fills `draws`; an error (of the stream) means that they must not be used.
  [[nodiscard]] Status draw(KeyStream& stream, std::span<std::int64_t> draws) const;

  std::int64_t scale() const { return static_cast<std::int64_t>(scale_); }

 private:
  explicit DiscreteLaplace(std::uint64_t scale) : scale_(scale) {}

  std::uint64_t scale_;
};

}  // namespace dpfermi
