#pragma once

/// Sums of clipped contributions: exact integers that only the Privatizer can read.

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/mechanism/batch.h"
#include "dpfermi/privacy/mechanism/contribution.h"

namespace dpfermi {

/// Adds lattice vectors in 64-bit integers. Parts may be built on several threads and merged in any
/// order with the same result.
class LatticeSum {
 public:
  LatticeSum(std::size_t size, int lattice_bits) : bits_(lattice_bits), sums_(size) {}

  /// Adds one contribution as ContributionLayout::quantise makes it (|entries| <= 2^bits).
  [[nodiscard]] Status add(std::span<const std::int64_t> lattice);

  /// Counts `units` contributions, whose parts add_part() adds.
  [[nodiscard]] Status expect(std::uint64_t units);

  /// Adds a part of one of them, from entry `start` on. Requires of all parts of one contribution
  /// together |entries| <= 2^bits.
  void add_part(std::size_t start, std::span<const std::int64_t> lattice);

  /// Adds the sum of `units` contributions, kept in doubles that are integers below 2^53.
  [[nodiscard]] Status add_sum(std::span<const double> integers, std::uint64_t units);

  /// Adds the sum of `units` contributions that was computed elsewhere. Entries that no such sum
  /// can have (|entry| > units 2^bits) are cut to what it can: nothing overflows, and nothing is
  /// said.
  [[nodiscard]] Status add_integers(std::span<const std::int64_t> integers, std::uint64_t units);

  /// Adds another part of the same sum.
  [[nodiscard]] Status merge(const LatticeSum& other);

 private:
  friend class Privatizer;

  /// An entry of a sum of `units_` contributions is at most units_ 2^bits; up to 2^62 leaves room
  /// for the noise. The check reads counts only, so it says nothing about the contributions.
  [[nodiscard]] Status check(std::uint64_t units) const;

  int bits_;
  std::uint64_t units_ = 0;
  std::vector<std::int64_t> sums_;
};

/// What a Privatizer's sum() returns and its release() takes; it reveals nothing in between. How
/// many contributions were clipped or replaced by zero is not kept at all.
class ClippedSum {
 public:
  ClippedSum(ClippedSum&&) noexcept = default;
  ClippedSum& operator=(ClippedSum&&) noexcept = default;
  ClippedSum(const ClippedSum&) = delete;
  ClippedSum& operator=(const ClippedSum&) = delete;
  ~ClippedSum() = default;

  const Sampling& sampling() const { return sampling_; }

 private:
  friend class Privatizer;
  ClippedSum(ContributionLayout layout, Sampling sampling, LatticeSum sum, Invented invented)
      : layout_(std::move(layout)),
        sampling_(sampling),
        sum_(std::move(sum)),
        invented_(invented) {}

  ContributionLayout layout_;
  Sampling sampling_;
  LatticeSum sum_;
  Invented invented_;  ///< of the data summed
};

}  // namespace dpfermi
