#pragma once

/// What one unit (record or person) adds to a sum, and how it is bounded. A contribution is a
/// vector cut into segments, such as the gradient of theta and the gradient of W; each segment is
/// clipped on its own and gets a share of the total norm, so that the whole always has l2 norm <= 1
/// and one Gaussian covers it.
///
/// Clipped contributions live on the lattice 2^-bits Z^d: entries are rounded toward zero, which
/// shortens the vector, and are then integers. Their sum is exact and does not depend on the order.

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dpfermi/core/result.h"

namespace dpfermi {

struct Segment {
  std::size_t size;   ///< entries
  double clip_norm;   ///< the longest this segment may be, in its own units
  double weight = 1;  ///< its share of the norm is weight / sqrt(sum of squared weights)
};

/// What one unit can exchange between neighbours.
enum class Exchanged {
  kVector,  ///< its contribution, for any other of norm <= 1
  kPlace,   ///< the blocks that its rows' public vectors lie in; the vectors stay as they are
};

/// Sums of public vectors by condition, which is public, and group, which is not:
/// conditions x groups blocks of `size` entries.
struct GroupBlocks {
  std::size_t conditions;
  std::size_t groups;
  std::size_t size;

  bool operator==(const GroupBlocks&) const = default;
};

class ContributionLayout {
 public:
  static constexpr int kMaxLatticeBits = 36;

  /// Requires positive finite weights, clip norms between 1e-100 and 1e100, 1 <= bits <= 36, and at
  /// most 2^32 entries.
  static Result<ContributionLayout> create(std::vector<Segment> segments, int lattice_bits = 30);

  /// For Privatizer::sum_placed and nothing else: every row of a unit adds one vector of norm at
  /// most clip_norm, divided by the number of the unit's rows, to one block.
  static Result<ContributionLayout> placed(const GroupBlocks& blocks, double clip_norm,
                                           int lattice_bits = 30);

  /// The finest lattice on which noise of this multiplier can be drawn.
  static int finest_lattice(double noise_multiplier);

  std::size_t size() const { return size_; }
  int lattice_bits() const { return lattice_bits_; }
  const std::vector<Segment>& segments() const { return segments_; }
  const std::optional<GroupBlocks>& blocks() const { return blocks_; }
  Exchanged exchanged() const { return blocks_ ? Exchanged::kPlace : Exchanged::kVector; }

  /// The largest norm of segment i after scaling; the squares sum to at most 1.
  double share(std::size_t i) const { return shares_[i]; }

  /// The same on the lattice: share(i) 2^bits.
  double longest(std::size_t i) const { return longest_[i]; }

  /// Units of segment i per lattice step: clip_norm / (share 2^bits).
  double step(std::size_t i) const;

  /// What turns segment i into lattice units, clipped, where its squared norm was computed with at
  /// most `roundings` rounded operations on the way.
  /// Ensures: trunc(factor * entries) has norm at most share(i) 2^bits, as computed.
  /// Why: docs/proofs/lattice-rounding.md, "Clipping".
  class ClipRule {
   public:
    ClipRule(const ContributionLayout& layout, std::size_t i, std::size_t roundings)
        : slack_(static_cast<double>(roundings + 8) * kSlack),
          clip_norm_(layout.segments_[i].clip_norm),
          longest_(layout.longest_[i]),
          inside_(clip_norm_ * clip_norm_ * (1 - 2 * kSlack) / (1 + 5 * slack_)) {}

    /// Up to this squared norm nothing is clipped: the factor is that of 0.
    double inside() const { return inside_; }
    double factor(double squared_norm) const {
      const double norm = std::max(clip_norm_, std::sqrt(squared_norm) * (1 + slack_));
      return longest_ / (squared_norm <= inside_ ? clip_norm_ : norm);
    }

   private:
    double slack_;
    double clip_norm_;
    double longest_;
    double inside_;
  };

  /// The integers of one contribution: scaled, clipped, rounded toward zero. A contribution with a
  /// NaN or an infinity, or so large that its squared norm is not a finite double, becomes zero.
  /// Requires contribution.size() == lattice.size() == size().
  /// Ensures: the squares of `lattice` sum to at most 4^bits, whatever the contribution.
  /// Why: docs/proofs/lattice-rounding.md, "Clipping".
  void quantise(std::span<const double> contribution, std::span<std::int64_t> lattice) const;

  /// The same for segment i alone. False where it is not finite: its integers are then zeros.
  /// Ensures: the squares of `lattice` sum to at most longest(i)^2.
  bool quantise_segment(std::size_t i, std::span<const double> values,
                        std::span<std::int64_t> lattice) const;

  /// The integers of one of `rows` vectors that a unit adds to blocks; zeros where it is not
  /// finite. Requires a layout made by placed() and vector.size() == lattice.size() ==
  /// blocks()->size. Ensures: the squares of `lattice` sum to at most (longest(0) / rows)^2,
  /// whatever the vector. Why: docs/proofs/lattice-rounding.md, "Placed vectors".
  void quantise_placed(std::span<const double> vector, std::size_t rows,
                       std::span<std::int64_t> lattice) const;

  bool operator==(const ContributionLayout& other) const;

 private:
  /// Twice the unit round-off: a factor (1 + count * kSlack) outweighs `count` roundings and as
  /// many again.
  static constexpr double kSlack = 0x1p-52;

  ContributionLayout() = default;

  std::vector<Segment> segments_;
  std::vector<double> shares_;
  std::vector<double> longest_;  ///< share 2^bits, by segment
  std::optional<GroupBlocks> blocks_;
  std::size_t size_ = 0;
  int lattice_bits_ = 0;
};

/// contribution(data, unit, out): writes what the unit adds.
template <class F, class T>
concept ContributionOf = std::invocable<F&, const T&, std::uint32_t, std::span<double>>;

/// vector(row, out): writes the vector of a row. It is given nothing that is protected.
template <class F>
concept PublicVectorOf = std::invocable<F&, std::uint32_t, std::span<double>>;

/// What is public about the rows of a placed sum.
struct PlacedRows {
  std::uint32_t unit_count;
  std::span<const std::uint32_t> units;       ///< of every row, below unit_count
  std::span<const std::uint32_t> conditions;  ///< of every row; a row beyond the last adds nothing
};

}  // namespace dpfermi
