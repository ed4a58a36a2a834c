#pragma once

/// The units whose contributions a sum takes, together with how they were chosen: the sampler's
/// part of the privacy event travels with the sample and cannot be restated later. Move-only, so
/// that a batch serves one sum.

#include <cstdint>
#include <optional>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/event.h"
#include "dpfermi/privacy/mechanism/contribution.h"
#include "dpfermi/privacy/protected.h"
#include "dpfermi/random/key.h"

namespace dpfermi {

enum class SamplingKind {
  kEveryone,         ///< all units
  kPoisson,          ///< each unit independently with probability q; who was drawn is a secret
  kRevealedPoisson,  ///< drawn like that, but terms without noise tell who is in
  kUnamplified,      ///< any choice that does not look at protected data: fixed size, shuffled
};

struct Sampling {
  SamplingKind kind;
  double q;               ///< the exact inclusion probability (1 unless drawn by Poisson)
  double expected_units;  ///< q n, or the fixed size: the only denominator of a mean
  /// Whether n, or the size, was declared and not counted. Where records come and go (add/remove)
  /// a counted n distinguishes neighbours; elsewhere all neighbours have the same n.
  bool declared = false;
  /// Of the lane that drew the members; empty where nothing was drawn in secret.
  std::optional<Reproducibility> membership = std::nullopt;
};

/// A number of units that is stated, as a constant of the analysis, and not counted in the data.
using DeclaredUnits = std::optional<std::uint32_t>;

/// The square of how far the sums of neighbours may lie apart, in units of the norm bound of a
/// contribution: a whole number, so that an audit can compare lattice vectors with it exactly.
/// Why: with everyone in, neighbours differ by neighbour_distance(adjacency). A batch of fixed
/// size, or a shuffled one, gets no credit for sampling; given the same random choices one unit at
/// most is exchanged for another, *also* when a unit appears or vanishes, because another one moves
/// up into its place: distance 2 under every adjacency. Public vectors that change their block and
/// nothing else move by sqrt(2): docs/proofs/group-sums.md.
int squared_distance(Adjacency adjacency, const Sampling& sampling,
                     Exchanged exchanged = Exchanged::kVector);

/// The event of adding N(0, z^2) to a sum of contributions of norm <= 1 over such a batch. Where
/// members are revealed, the pair is that of docs/proofs/revealed-pair.md; refused under
/// add/remove, where being a member reveals that the unit exists. Places are exchanged in sums over
/// everyone and under `sensitive` alone; anything else is refused.
Result<PrivacyEvent> gaussian_event(Adjacency adjacency, const Sampling& sampling,
                                    double noise_multiplier,
                                    Exchanged exchanged = Exchanged::kVector);

/// Whether a charge of `charged` pays for that release: it names exactly these parameters, or an
/// event that can only cost more (membership revealed, or no sampling at all).
bool covers(const PrivacyEvent& charged, Adjacency adjacency, const Sampling& sampling,
            double noise_multiplier, Exchanged exchanged = Exchanged::kVector);

class Batch {
 public:
  /// All of the units 0, ..., units - 1. With `declared` that number is the denominator, in place
  /// of `units`.
  static Batch everyone(std::uint32_t units, DeclaredUnits declared = std::nullopt);

  /// Exactly these units, chosen without looking at protected data. Refused when one of them is
  /// named twice: it would contribute twice. With `declared` that number is the denominator,
  /// instead of how many there are (an epoch's last, short batch reveals n).
  static Result<Batch> unamplified(std::vector<std::uint32_t> units,
                                   DeclaredUnits declared = std::nullopt);

  Batch(Batch&&) noexcept = default;
  Batch& operator=(Batch&&) noexcept = default;
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch() = default;

  const Sampling& sampling() const { return sampling_; }

  /// Who is in, ascending.
  const Protected<std::vector<std::uint32_t>>& members() const { return members_; }

 private:
  friend class PoissonSampler;  // no other class may claim amplification
  Batch(Sampling sampling, std::vector<std::uint32_t> members)
      : sampling_(sampling), members_(std::move(members)) {}

  Sampling sampling_;
  Protected<std::vector<std::uint32_t>> members_;
};

}  // namespace dpfermi
