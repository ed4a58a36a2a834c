#pragma once

/// What an auditor sees of the releases of a rehearsal: batches, exact sums and noise from inside
/// the mechanisms of the real code. A permit that carries a tap is refused on data that is not
/// synthetic (ReleasePermit::check_tap), so nothing about real people can leave this way. Without a
/// tap it costs one branch a release.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/mechanism/batch.h"
#include "dpfermi/privacy/mechanism/contribution.h"
#include "dpfermi/privacy/mechanism/noisy_sum.h"

namespace dpfermi {

/// A batch whose contributions have just been summed. All sums are in lattice units, scaled and
/// clipped: a contribution of norm 1 has length 2^layout.lattice_bits().
struct TappedBatch {
  const PrivacyEvent& charged;
  Adjacency adjacency;
  const Sampling& sampling;  ///< kind, q and denominator
  const ContributionLayout& layout;
  int squared_distance;  ///< of neighbouring sums, as charged, in units of 4^lattice_bits
  std::span<const std::uint32_t> members;
  std::span<const std::int64_t> sum;
  /// The sum over any other members, computed by the same code: one unit's contribution, for
  /// instance.
  std::function<Result<std::vector<std::int64_t>>(std::span<const std::uint32_t>)> sum_of;
};

/// A sum that is about to leave with noise.
struct TappedSum {
  const PrivacyEvent& charged;
  Adjacency adjacency;
  const Sampling& sampling;
  const ContributionLayout& layout;
  int squared_distance;     ///< as above
  double noise_multiplier;  ///< of the noise, which has this times 2^lattice_bits in lattice units
  std::span<const std::int64_t> exact;
  std::span<std::int64_t> noisy;  ///< what is released; may be replaced, to replay a run
};

/// A table of counts that is about to leave with noise.
struct TappedCounts {
  const PrivacyEvent& charged;
  double sigma;
  std::uint32_t units;
  std::span<const std::int64_t> exact;
  std::span<std::int64_t> noisy;  ///< as above
};

/// Sums that are about to leave with discrete Laplace noise, in lattice units.
struct TappedLaplace {
  const PrivacyEvent& charged;
  Adjacency adjacency;
  std::int64_t longest;  ///< l1 norm of a contribution, at most
  std::int64_t scale;    ///< of the noise
  /// What one unit adds, computed by the same code.
  std::function<std::vector<std::int64_t>(std::uint32_t)> contribution_of;
  std::span<const std::int64_t> exact;
  std::span<std::int64_t> noisy;  ///< as above
};

/// Randomised responses that are about to leave.
struct TappedResponses {
  const PrivacyEvent& charged;
  std::size_t choices;
  std::span<const std::uint16_t> exact;
  std::span<std::uint16_t> noisy;  ///< as above
};

class ReleaseTap {
 public:
  virtual ~ReleaseTap() = default;

  /// In the order of a run: counts; then batch, sum, and what was made of the sum, of every step.
  virtual void on_batch(const TappedBatch&) {}
  virtual void on_sum(const TappedSum&) {}
  virtual void on_released(const NoisySum&) {}
  virtual void on_counts(const TappedCounts&) {}
  virtual void on_laplace(const TappedLaplace&) {}
  virtual void on_responses(const TappedResponses&) {}
};

}  // namespace dpfermi
