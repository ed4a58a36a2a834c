#pragma once

/// Points drawn uniformly under f(x) = exp(-x^2/2), x >= 0: their x is half-normal. The region is
/// covered by 8192 boxes of equal area, so that 13 bits choose one:
///   - boxes of width 2^-5 and height kRowHeight, wholly under the curve (96 %) or cut by it (4 %);
///   - one box stands for the tail x >= kEdge, spread over unit strips j of height h_j (below);
///   - what is left of the 8192 is void.
/// Only cut boxes and the tail compare with f. docs/proofs/lattice-rounding.md has the argument;
/// the names there are the names here.

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "random/bell_value.h"
#include "random/uniform.h"

namespace dpfermi::bell {

inline constexpr int kPositionBits = 50;  ///< x inside a box
inline constexpr int kFractionBits = 55;  ///< x = Point::x / 2^55
inline constexpr unsigned kBoxes = 8192;
inline constexpr unsigned kColumns = 136;                                         ///< kEdge / 2^-5
inline constexpr std::uint64_t kEdge = std::uint64_t{17} << (kFractionBits - 2);  ///< 4.25
inline constexpr unsigned kRowUnits = 5247;  ///< height of a box in units of 2^-20
inline constexpr double kRowHeight = kRowUnits * 0x1p-20;
inline constexpr double kMargin = 0x1p-40;  ///< what the double evaluation may be off, generously
inline constexpr int kTailStrips = 17;      ///< as many as under_curve_exactly has room for

/// Height h_j of tail strip j: kRowUnits 63 / 2^tail_bits(j).
constexpr int tail_bits(int strip) {
  return 20 + 5 + 6 + 6 * strip;
}
static_assert(tail_bits(kTailStrips - 1) <= kFraction - 128);

/// x >= 0 to 55 binary places, and 64 more where a comparison has used them.
struct Point {
  std::uint64_t x;
  bool refined = false;
  std::uint64_t more = 0;
};

/// Which box lies where. Boxes [0, whole) lie under the curve, [whole, cut) are cut by it; `cut`
/// itself is the tail.
struct Boxes {
  std::array<std::uint8_t, kBoxes> column;
  std::array<std::uint8_t, kBoxes> row;
  std::array<double, kColumns> left_value;  ///< f at the left edge of a column
  unsigned whole;
  unsigned cut;
};
const Boxes& boxes();

/// Whether (x, V) lies under the curve, where V = (row + v) height / 2^height_bits and `v` holds
/// the first 64 bits of v in [0, 1). Draws 64 more bits of x and of v. Wrong with probability at
/// most 2^-116 / (height / 2^height_bits). Requires height_bits <= kFraction - 128.
template <WordSource Words>
bool under_curve_exactly(Point& point, unsigned row, std::uint64_t v, unsigned height,
                         int height_bits, Words& words) {
  point.refined = true;
  point.more = words.next();
  const Big x = Big{point.x} << 64 | Big{point.more};
  const Big fraction = Big{v} << 64 | Big{words.next()};
  const Big ordinate = (Big{row} << 128 | fraction) * height;
  return (ordinate << (kFraction - 128 - height_bits)) < value(x, kFractionBits + 64);
}

/// The same for a cut box. Doubles decide unless V and f(x) are closer than kMargin.
template <WordSource Words>
bool under_curve(const Boxes& table, Point& point, unsigned box, Words& words) {
  const unsigned column = table.column[box];
  const std::uint64_t v = words.next();
  const double ordinate = (table.row[box] + static_cast<double>(v >> 11) * 0x1p-53) * kRowHeight;
  const double offset =
      static_cast<double>(point.x & ((std::uint64_t{1} << kPositionBits) - 1)) * 0x1p-55;
  const double t = offset * (column * 0x1p-5 + offset / 2);  // f(x) = f(left) exp(-t), t < 0.134
  double series = 1 - t / 8;
  for (int term = 7; term > 0; --term) series = 1 - t / term * series;
  const double difference = table.left_value[column] * series - ordinate;
  if (difference > kMargin) return true;
  if (difference < -kMargin) return false;
  return under_curve_exactly(point, table.row[box], v, kRowUnits, 20, words);
}

/// A point of the tail's envelope: strip j, of width 1 from kEdge + j, has height
/// h_j = 2^-5 kRowHeight (63/64) 64^-j, so j is geometric. Empty: the point was above the curve, or
/// in a strip from kTailStrips on, whose mass is negligible.
template <WordSource Words>
std::optional<Point> draw_tail(Words& words) {
  int strip = 0;
  std::uint64_t zeros = words.next();
  while (zeros >> 4 == 0) {
    strip += 10;
    if (strip >= kTailStrips) return std::nullopt;
    zeros = words.next();
  }
  strip += std::countl_zero(zeros) / 6;
  if (strip >= kTailStrips) return std::nullopt;
  Point point{kEdge + (static_cast<std::uint64_t>(strip) << kFractionBits) +
              (words.next() >> (64 - kFractionBits))};
  const std::uint64_t v = words.next();
  if (!under_curve_exactly(point, 0, v, kRowUnits * 63, tail_bits(strip), words)) {
    return std::nullopt;
  }
  return point;
}

/// round(sigma x) for sigma = significand 2^(55 - shift), drawing more bits of x only where the 55
/// known ones leave the rounding open.
template <WordSource Words>
std::uint64_t round_scaled(const Point& point, std::uint64_t significand, int shift, Words& words) {
  const Uint128 one = Uint128{1} << shift;
  const Uint128 scaled = Uint128{significand} * point.x + one / 2;
  const auto rounded = static_cast<std::uint64_t>(scaled >> shift);
  const Uint128 to_next = one - (scaled & (one - 1));
  if (to_next >= significand) [[likely]] {
    return rounded;
  }
  const std::uint64_t first = point.refined ? point.more : words.next();
  const bool below = bernoulli_from(first, static_cast<std::uint64_t>(to_next), significand, words);
  return below ? rounded : rounded + 1;
}

}  // namespace dpfermi::bell
