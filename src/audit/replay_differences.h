#pragma once

/// In what two runs of a replay differ, exactly.

#include <cmath>
#include <cstdint>
#include <span>
#include <string>

#include "audit/rehearsal.h"
#include "audit/release_tape.h"

namespace dpfermi {

/// Squared lengths are compared exactly: entries below 2^60 fit.
__extension__ using Wide = unsigned __int128;

struct Length {
  Wide square = 0;
  bool huge = false;  ///< beyond what is worth computing

  /// At most `bound` times 2^bits, exactly.
  bool within(std::uint64_t bound, int bits) const {
    return !huge && square <= Wide{bound * bound} << (2 * bits);
  }
  double value(int bits) const {
    return huge ? HUGE_VAL : std::ldexp(std::sqrt(static_cast<double>(square)), -bits);
  }
};
Length length_of(std::span<const std::int64_t> entries);

/// Whole numbers below 2^53: exact.
double l1_norm(std::span<const std::int64_t> entries);

/// a - b; what is missing on one side counts as zero.
Integers difference(const Integers& a, const Integers& b);

/// Bit by bit, so that what is not a number equals itself.
bool same(const TrainingCheckpoint& a, const TrainingCheckpoint& b);

/// Nothing, or what differs between two results.
std::string difference(const Result<TrainingResult>& a, const Result<TrainingResult>& b);

/// All that neighbours must have in common: of a sum, and of what a ledger was told.
std::string shape_of(const SeenSum& sum);
std::string ledger_of(const Rehearsal& run);

}  // namespace dpfermi
