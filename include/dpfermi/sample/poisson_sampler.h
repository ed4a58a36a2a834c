#pragma once

/// Poisson sampling: every unit is in the batch independently with probability q, and who is in is
/// a secret. This is the one scheme that earns amplification; the accounted q is the sampled q, to
/// the last bit. A batch costs as much as it has members, whatever the number of units.

#include <cstdint>
#include <memory>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/mechanism/batch.h"
#include "dpfermi/random/noise_source.h"

namespace dpfermi {

/// An inclusion probability that is a whole number of 2^-64ths and a double as well.
class SamplingRate {
 public:
  /// The rate nearest to `q`. Every double from 2^-11 to 1 is its own rate; a smaller one is
  /// rounded to a multiple of 2^-64. Requires 2^-64 <= q <= 1.
  static Result<SamplingRate> nearest(double q);

  double value() const { return value_; }

  /// q 2^64; meaningless where certain().
  std::uint64_t threshold() const { return threshold_; }
  bool certain() const { return value_ == 1; }

 private:
  SamplingRate(double value, std::uint64_t threshold) : value_(value), threshold_(threshold) {}

  double value_;
  std::uint64_t threshold_;
};

class GapTable;

/// A batch whose members are no secret any more: its sums are paid for as revealed ones.
struct RevealedBatch {
  std::vector<std::uint32_t> members;  ///< ascending
  Batch batch;                         ///< SamplingKind::kRevealedPoisson
};

/// Ensures: together, a batch's members are within total variation 2^-178 of independent coins of
/// bias q. Why: docs/proofs/poisson-gaps.md.
///
/// Not thread-safe: one thread at a time. Two calls of next() at once could draw the same batch.
class PoissonSampler {
 public:
  /// Batches out of the units 0, ..., units - 1. With `declared`, the denominator of a mean is q
  /// times that number instead of q times `units`. Refused unless the lane is kSecretBatch's, so
  /// that no other stream reveals who is in.
  static Result<PoissonSampler> create(std::uint32_t units, SamplingRate rate, NoiseLane lane,
                                       DeclaredUnits declared = std::nullopt);

  /// The next batch, independent of all others. Up to q = 0.1 the gaps between members are drawn.
  /// Above, one byte per unit is cheaper: unit i is in iff its 64-bit number is below q 2^64; the
  /// number's first byte is byte i of the batch's stream, and the seven others are drawn only when
  /// the first equals that of the threshold (one unit in 256).
  Result<Batch> next();

  /// The next batch with its members in the open, for terms that use them without noise.
  Result<RevealedBatch> next_revealed();

  /// Passes over `count` batches, to resume a run of a fixed seed in the middle.
  void skip(std::uint64_t count) { step_ = NoiseLane::after(step_, count); }

  SamplingRate rate() const { return rate_; }

 private:
  PoissonSampler(std::uint32_t units, SamplingRate rate, NoiseLane lane, DeclaredUnits declared);

  using Members = std::vector<std::uint32_t>;

  Result<Members> draw();
  Status select_by_gaps(Members& members) const;
  Status select_by_bytes(Members& members) const;

  std::uint32_t units_;
  Sampling sampling_;
  SamplingRate rate_;
  std::shared_ptr<const GapTable> gaps_;  ///< empty: a byte per unit
  NoiseLane lane_;
  std::uint64_t step_ = 0;
};

}  // namespace dpfermi
