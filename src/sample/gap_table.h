#pragma once

/// Gaps between the members of a Poisson batch: how many units are out before the next one is in.
/// P(gap >= g) = (1-q)^g. Written gap = j 2^bits + high 2^low_bits + low, its three parts are
/// independent, and geometric themselves: j is a run of coins, `high` and `low` are drawn by
/// inversion from small tables. Where gaps are short, low_bits is 0 and `high` is all there is.
/// docs/proofs/poisson-gaps.md shows that and bounds the error.

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

#include "random/key_stream.h"

namespace dpfermi {

/// One part: the values 0, ..., steps().size(), by inversion of F(v) = P(value <= v).
class PartTable {
 public:
  /// A uniform number, or an F(v) rounded down: its first 32 bits, then three times 64.
  struct Fraction {
    std::uint32_t first;
    std::array<std::uint64_t, 3> rest;
    friend bool operator<(const Fraction& a, const Fraction& b) {
      return std::tie(a.first, a.rest) < std::tie(b.first, b.rest);
    }
  };

  /// F(0) <= F(1) <= ...; the value after the last step takes what is left.
  explicit PartTable(std::vector<Fraction> steps);

  /// The number of steps that a uniform number has reached. Its first 32 bits are given and decide,
  /// unless they are those of a step, or all ones: then the three other words are drawn.
  std::uint32_t draw(std::uint32_t first, KeyStream& stream) const {
    std::uint32_t value = starts_[first >> shift_];
    while (first > firsts_[value]) ++value;
    return first < firsts_[value] ? value : settle(first, stream);
  }

  const std::vector<Fraction>& steps() const { return steps_; }

 private:
  std::uint32_t settle(std::uint32_t first, KeyStream& stream) const;

  std::vector<Fraction> steps_;
  std::vector<std::uint32_t> firsts_;  ///< of the steps, and all ones at the end
  std::vector<std::uint16_t> starts_;  ///< by leading bits: a value that has been reached for sure
  int shift_;
};

/// The gaps of rate q = threshold 2^-64; requires 0 < q <= 1/2.
class GapTable {
 public:
  explicit GapTable(std::uint64_t threshold);

  /// Appends the members among the units 0, ..., units - 1, ascending. The upper half of a word
  /// gives `high`; where that is past its last digit, the next 2^bits units are all out, else the
  /// lower half gives `low`. Without low bits each half, the upper one first, gives a gap.
  void select(std::uint32_t units, KeyStream& stream, std::vector<std::uint32_t>& members) const;

  int low_bits() const { return low_bits_; }
  const PartTable& high() const { return high_; }
  const PartTable& low() const { return low_; }

 private:
  void select_short(std::uint32_t units, KeyStream& stream,
                    std::vector<std::uint32_t>& members) const;
  void select_long(std::uint32_t units, KeyStream& stream,
                   std::vector<std::uint32_t>& members) const;

  int low_bits_;
  PartTable high_;
  PartTable low_;
};

}  // namespace dpfermi
