#pragma once

/// Everything that a tap can see of a run, kept; and one run's releases substituted for another's.

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "privacy/mechanism/release_tap.h"

namespace dpfermi {

using Integers = std::vector<std::int64_t>;

struct SeenCounts {
  std::string charged;               ///< as JSON
  std::vector<std::int64_t> shifts;  ///< that were charged for
  double sigma = 0;
  Integers exact, drawn, released;
};

struct SeenSum {
  std::string charged;
  bool covered = false;  ///< whether the charge names this release, or one that costs more
  double distance = 0;   ///< of neighbours' sums, at most, as charged
  Adjacency adjacency = Adjacency::kSensitive;
  Sampling sampling{};
  std::vector<Segment> segments;
  int lattice_bits = 0;
  double noise_multiplier = 0;
  std::vector<std::uint32_t> members;
  std::map<std::uint32_t, Integers> contributions;  ///< of units that were looked at
  bool ordered = false;                             ///< the sum depends on the order of its members
  Integers exact, drawn, released;
  double denominator = 0;
  bool on_lattice = false;  ///< every released value is a whole number of lattice steps
};

/// Sums with Laplace noise, in lattice units, or randomised answers.
struct SeenPure {
  std::string charged;
  Adjacency adjacency = Adjacency::kSensitive;
  double epsilon = 0;                               ///< as charged
  std::int64_t longest = 0;                         ///< l1 norm of a contribution
  std::int64_t scale = 0;                           ///< of the noise; 0: answers
  std::map<std::uint32_t, Integers> contributions;  ///< of units that were looked at
  Integers exact, drawn, released;
};

/// Releases in the order in which they were made.
struct SeenReleases {
  std::span<const SeenCounts> counts;
  std::span<const SeenPure> pure;
  std::span<const SeenSum> sums;
};

/// What the releases of a run are replaced with.
enum class Outputs {
  kDrawn,    ///< nothing: they are what the mechanism drew
  kExtreme,  ///< far more than the noise could be, either sign: W and tables at their limits
  kStill,    ///< the same, but nothing for theta: it stays where gradients are long
};

class ReleaseTape final : public ReleaseTap {
 public:
  /// `probed`: a unit whose contribution is looked at whether or not it is drawn.
  explicit ReleaseTape(std::uint32_t probed, Outputs outputs = Outputs::kDrawn)
      : probed_(probed), outputs_(outputs) {}

  /// Replays the releases of `frozen`, which has to outlive this.
  ReleaseTape(std::uint32_t probed, const ReleaseTape& frozen)
      : probed_(probed), frozen_(&frozen) {}

  void on_batch(const TappedBatch& batch) override;
  void on_sum(const TappedSum& sum) override;
  void on_released(const NoisySum& noisy) override;
  void on_counts(const TappedCounts& counts) override;
  void on_laplace(const TappedLaplace& sums) override;
  void on_responses(const TappedResponses& responses) override;

  /// Looks at `most` members of a batch at most: long runs need the memory.
  void probe_at_most(std::size_t most) { most_probes_ = std::min(most, most_probes_); }

  /// Says that the probed unit is not there.
  void no_probe() { has_probe_ = false; }

  const std::vector<SeenCounts>& counts() const { return counts_; }
  const std::vector<SeenSum>& sums() const { return sums_; }
  const std::vector<SeenPure>& pure() const { return pure_; }
  SeenReleases seen() const { return {counts_, pure_, sums_}; }
  std::size_t releases() const { return counts_.size() + sums_.size() + pure_.size(); }

 private:
  std::uint32_t probed_;
  bool has_probe_ = true;
  std::size_t most_probes_ = 16;  ///< contributions looked at in an early batch, one by one
  Outputs outputs_ = Outputs::kDrawn;
  const ReleaseTape* frozen_ = nullptr;
  std::vector<SeenCounts> counts_;
  std::vector<SeenSum> sums_;
  std::vector<SeenPure> pure_;
};

}  // namespace dpfermi
