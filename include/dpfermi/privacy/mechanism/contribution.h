#pragma once

/// What one unit (record or person) adds to a sum, and how it is bounded. A contribution is a
/// vector cut into segments, such as the gradient of theta and the gradient of W; each segment is
/// clipped on its own and gets a share of the total norm, so that the whole always has l2 norm <= 1
/// and one Gaussian covers it.
///
/// Clipped contributions live on the lattice 2^-bits Z^d: entries are rounded toward zero, which
/// shortens the vector, and are then integers. Their sum is exact and does not depend on the order.

#include <cstdint>
#include <span>
#include <vector>

#include "dpfermi/core/result.h"

namespace dpfermi {

struct Segment {
  std::size_t size;   ///< entries
  double clip_norm;   ///< the longest this segment may be, in its own units
  double weight = 1;  ///< its share of the norm is weight / sqrt(sum of squared weights)
};

class ContributionLayout {
 public:
  static constexpr int kMaxLatticeBits = 36;

  /// Requires positive finite weights, clip norms between 1e-100 and 1e100, 1 <= bits <= 36, and at
  /// most 2^32 entries.
  static Result<ContributionLayout> create(std::vector<Segment> segments, int lattice_bits = 30);

  /// The finest lattice on which noise of this multiplier can be drawn.
  static int finest_lattice(double noise_multiplier);

  std::size_t size() const { return size_; }
  int lattice_bits() const { return lattice_bits_; }
  const std::vector<Segment>& segments() const { return segments_; }

  /// The largest norm of segment i after scaling; the squares sum to at most 1.
  double share(std::size_t i) const { return shares_[i]; }

  /// Units of segment i per lattice step: clip_norm / (share 2^bits).
  double step(std::size_t i) const;

  /// What turns a segment of norm sqrt(squared_norm), computed with at most `roundings` rounded
  /// operations on its way, into lattice units, clipped.
  /// Ensures: trunc(factor * entries) has norm at most share(i) 2^bits, as computed.
  double clip_factor(std::size_t i, double squared_norm, std::size_t roundings) const {
    // Twice the unit round-off: (1 + count * kSlack) outweighs `count` roundings and as many again.
    const double slack = static_cast<double>(roundings + 8) * kSlack;
    // Well inside the bound no root is needed: norm (1 + slack) <= clip_norm follows.
    if (squared_norm * (1 + 4 * slack) <= squared_clip_[i]) return unclipped_[i];
    return clipping_factor(i, squared_norm, slack);
  }

  /// The integers of one contribution: scaled, clipped, rounded toward zero. A contribution with a
  /// NaN or an infinity, or so large that its squared norm is not a finite double, becomes zero.
  /// Requires contribution.size() == lattice.size() == size().
  /// Ensures: the squares of `lattice` sum to at most 4^bits, whatever the contribution.
  /// Why: docs/proofs/lattice-rounding.md, "Clipping".
  void quantise(std::span<const double> contribution, std::span<std::int64_t> lattice) const;

  bool operator==(const ContributionLayout& other) const;

 private:
  static constexpr double kSlack = 0x1p-52;

  ContributionLayout() = default;
  double clipping_factor(std::size_t i, double squared_norm, double slack) const;

  std::vector<Segment> segments_;
  std::vector<double> shares_;
  std::vector<double> longest_;       ///< share 2^bits, by segment
  std::vector<double> unclipped_;     ///< longest_ / clip_norm
  std::vector<double> squared_clip_;  ///< clip_norm^2, rounded down
  std::size_t size_ = 0;
  int lattice_bits_ = 0;
};

}  // namespace dpfermi
