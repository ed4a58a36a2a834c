#include "random/rounded_gaussian.h"

#include <cmath>

#include "core/text.h"
#include "random/bell.h"

namespace dpfermi {
namespace {

constexpr std::uint64_t kPositionMask = (std::uint64_t{1} << bell::kPositionBits) - 1;

/// A word is box (13 bits), position (50 bits), sign (1 bit).
unsigned box_of(std::uint64_t word) {
  return static_cast<unsigned>(word >> (bell::kPositionBits + 1));
}

bell::Point point_in(unsigned column, std::uint64_t word) {
  return {std::uint64_t{column} << bell::kPositionBits | (word >> 1 & kPositionMask)};
}

std::int64_t with_sign(std::uint64_t magnitude, std::uint64_t word) {
  const auto value = static_cast<std::int64_t>(magnitude);
  return (word & 1) != 0 ? -value : value;
}

}  // namespace

Result<RoundedGaussian> RoundedGaussian::create(double sigma) {
  if (!(sigma >= kMinSigma && sigma <= kMaxSigma)) {
    return usage_error("the noise must lie between 2^-16 and 2^50 lattice steps, not " +
                       shortest(sigma) + "; choose a lattice that fits it");
  }
  int exponent = 0;
  const double fraction = std::frexp(sigma, &exponent);
  const auto significand = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  return RoundedGaussian(sigma, significand, bell::kFractionBits + 53 - exponent);
}

Status RoundedGaussian::draw(KeyStream& stream, std::span<std::int64_t> draws) const {
  const bell::Boxes& table = bell::boxes();
  const unsigned whole = table.whole;
  for (std::int64_t& draw : draws) {
    for (;;) {
      const std::uint64_t word = stream.next();
      const unsigned box = box_of(word);
      bell::Point point = point_in(table.column[box], word);
      if (box >= whole) [[unlikely]] {
        if (box == table.cut) {
          const std::optional<bell::Point> tail = bell::draw_tail(stream);
          if (!tail) continue;
          point = *tail;
        } else if (box > table.cut || !bell::under_curve(table, point, box, stream)) {
          continue;
        }
      }
      draw = with_sign(bell::round_scaled(point, significand_, shift_, stream), word);
      break;
    }
  }
  return stream.status();
}

}  // namespace dpfermi
