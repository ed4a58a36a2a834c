#pragma once

/// The one way from protected data to numbers that may be used: contributions are computed here,
/// clipped, summed exactly, and leave as a NoisySum.
///
///   permit  = ledger.charge(...)                        the charge is on disk
///   privatizer = Privatizer::create(..., permit, lane)  parameters must equal the charged ones
///   sum     = privatizer.sum(data, batch, contribution) protected data is read
///   noisy   = privatizer.release(sum)                   one release of the permit is used up

#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/core/workers.h"
#include "dpfermi/privacy/ledger.h"
#include "dpfermi/privacy/mechanism/batch.h"
#include "dpfermi/privacy/mechanism/clipped_sum.h"
#include "dpfermi/privacy/mechanism/contribution.h"
#include "dpfermi/privacy/mechanism/noisy_sum.h"
#include "dpfermi/privacy/protected.h"
#include "dpfermi/random/noise_source.h"

namespace dpfermi {

class FactorBlock;  // core/outer_products.h

/// factors(data, units, ahead, worker) -> FactorBlock&: see Privatizer::sum_products.
template <class F, class T>
concept FactorsOf = std::invocable < F&,
        const T&, std::span<const std::uint32_t>, std::span<const std::uint32_t>,
unsigned > ;

/// summer(data, units, layout, sums) -> Status: see Privatizer::sum_integers.
template <class F, class T>
concept SummerOf = std::invocable < F&,
        const T&, std::span<const std::uint32_t>,
const ContributionLayout&, std::span < std::int64_t >> ;

/// Not thread-safe from the outside: one thread at a time calls an object, which spreads its own
/// work over the workers it is given (none: the calling thread). Two calls of release() at once
/// could draw the same noise.
class Privatizer {
 public:
  /// `noise_multiplier` is the standard deviation of the noise over the norm bound 1 of the scaled
  /// contributions. Refused where the permit was charged under another adjacency, for other noise
  /// or for noise of another kind than the lane's (ReleasePermit::check_noise), or where the noise
  /// does not fit the lattice (RoundedGaussian's range).
  static Result<Privatizer> create(ContributionLayout layout, Adjacency adjacency,
                                   double noise_multiplier, ReleasePermit permit, NoiseLane lane);

  /// Calls contribution(data, unit, out) for every unit of the batch, `out` zeroed and of the
  /// layout's size, and sums what it writes, clipped. Contributions may run on several threads; the
  /// result does not depend on how many.
  /// Refused, before protected data is touched, when no release is left.
  /// Requires of the function, and no type can check it: what it writes for a unit depends on that
  /// unit's protected values alone (and on public or released ones), and it keeps and prints
  /// nothing.
  template <class T, ContributionOf<T> Contribution>
  Result<ClippedSum> sum(const Protected<T>& data, Batch batch, Contribution&& contribution,
                         Workers* workers = nullptr) const {
    DPFERMI_TRY(permit_.check());
    DPFERMI_TRY(permit_.check_tap(data.invented()));
    const T& values = data.read(ProtectedReadKey());
    return sum_over(
        batch, [&](std::uint32_t unit, std::span<double> out) { contribution(values, unit, out); },
        data.invented(), workers);
  }

  /// The same for contributions that are outer products, without forming those of one unit. Calls
  /// factors(data, units, ahead, worker) for blocks of units; row i of the FactorBlock that it
  /// returns is what units[i] adds: its products (segment 0 of the layout) and its dense entries
  /// (segment 1, if there is one). The block is the caller's, one per worker, and is overwritten
  /// here. `ahead` is the block that comes next, for those who prefetch.
  /// Requires of the function, as above: a row depends on its own unit's protected values alone.
  /// Why it is private: docs/proofs/lattice-rounding.md, "Products".
  template <class T, FactorsOf<T> Factors>
  Result<ClippedSum> sum_products(const Protected<T>& data, Batch batch, Factors&& factors,
                                  Workers* workers = nullptr) const {
    DPFERMI_TRY(permit_.check());
    DPFERMI_TRY(permit_.check_tap(data.invented()));
    const T& values = data.read(ProtectedReadKey());
    return sum_blocks(
        batch,
        [&](std::span<const std::uint32_t> units, std::span<const std::uint32_t> ahead,
            unsigned worker) -> FactorBlock& { return factors(values, units, ahead, worker); },
        data.invented(), workers);
  }

  /// The same where the sum itself is made elsewhere, by a GPU for instance: calls
  /// summer(data, units, layout, sums) with the members of the batch, once; `sums`, zeroed and of
  /// the layout's size, gets the sum of their contributions, clipped and in lattice units. What
  /// goes wrong ends the sum with the summer's own message.
  /// Requires of the summer, beyond what is required above, and no type can check it:
  ///   bound   the integers of one unit have norm at most layout.longest(i) in segment i
  ///   sum     those of several units are the sum of their integers, exactly, in any order
  ///   silence its message does not depend on protected values
  /// The audit's tap calls the same summer on sets that it chooses, single units among them: tier
  /// T0 tries the first two. Entries that no sum of so many units can have are cut.
  template <class T, SummerOf<T> Summer>
  Result<ClippedSum> sum_integers(const Protected<T>& data, Batch batch, Summer&& summer) const {
    DPFERMI_TRY(permit_.check());
    DPFERMI_TRY(permit_.check_tap(data.invented()));
    const T& values = data.read(ProtectedReadKey());
    return sum_elsewhere(
        batch,
        [&](std::span<const std::uint32_t> units, std::span<std::int64_t> sums) -> Status {
          return summer(values, units, layout_, sums);
        },
        data.invented());
  }

  /// The sum by condition and group of public vectors, over all units: row i adds vector(i) / m, m
  /// the rows of its unit, to the block of (its condition, its group). The vector is clipped before
  /// it is placed, and what makes it is given the number of the row and nothing protected; only
  /// where it lies is secret. Neighbours are sqrt(2) contributions apart, not 2
  /// (docs/proofs/group-sums.md). A row whose group lies beyond the layout's adds nothing.
  /// Refused unless the layout was made by ContributionLayout::placed().
  /// Requires that vector() depends on public and released values alone: it may not capture what
  /// was read for the data's holder.
  template <PublicVectorOf Vector>
  Result<ClippedSum> sum_placed(const Protected<std::vector<std::uint16_t>>& groups,
                                const PlacedRows& rows, Vector&& vector,
                                Workers* workers = nullptr) const {
    DPFERMI_TRY(permit_.check());
    DPFERMI_TRY(permit_.check_tap(groups.invented()));
    return sum_blocks_of(groups.read(ProtectedReadKey()), rows, vector, groups.invented(), workers);
  }

  /// Uses up one release of the permit and returns sum + noise. A sum of real data is refused where
  /// the permit is watched. Where the charged event does not
  /// pay for a sum sampled like this one, it is an error and nothing is released or used up; so it
  /// is where members were drawn with another kind of randomness than the noise (a batch that can
  /// be recomputed is public and earns no amplification), and under add/remove where the
  /// denominator was not declared.
  Result<NoisySum> release(ClippedSum sum, Workers* workers = nullptr);

  /// Passes over the noise of `count` releases, to resume a run of a fixed seed in the middle.
  void skip(std::uint64_t count) { step_ = NoiseLane::after(step_, count); }

  std::uint64_t remaining() const { return permit_.remaining(); }

  /// Goes on with the permit of the next block of steps. Refused unless it was charged for the same
  /// event and kind of noise; what was left of the old one is gone.
  Status renew(ReleasePermit permit);

  /// How far, in total variation, one release may be from the ideal Gaussian mechanism. A statement
  /// of (epsilon, delta) adds (1 + e^epsilon) times this, per release, to delta.
  double total_variation() const;

 private:
  using UnitContribution = std::function<void(std::uint32_t, std::span<double>)>;
  using BlockFactors = std::function<FactorBlock&(std::span<const std::uint32_t>,
                                                  std::span<const std::uint32_t>, unsigned)>;

  Privatizer(ContributionLayout layout, Adjacency adjacency, double noise_multiplier,
             ReleasePermit permit, NoiseLane lane);

  Result<ClippedSum> sum_over(const Batch& batch, const UnitContribution& contribution,
                              Invented invented, Workers* workers) const;
  Result<ClippedSum> sum_blocks(const Batch& batch, const BlockFactors& factors, Invented invented,
                                Workers* workers) const;
  using Summer = std::function<Status(std::span<const std::uint32_t>, std::span<std::int64_t>)>;
  Result<ClippedSum> sum_elsewhere(const Batch& batch, const Summer& summer,
                                   Invented invented) const;
  using PublicVector = std::function<void(std::uint32_t, std::span<double>)>;
  Result<ClippedSum> sum_blocks_of(const std::vector<std::uint16_t>& groups, const PlacedRows& rows,
                                   const PublicVector& vector, Invented invented,
                                   Workers* workers) const;
  /// What sums contributions over members, as the functions above want it.
  using SumOf = std::function<Result<LatticeSum>(std::span<const std::uint32_t>)>;
  Result<ClippedSum> sum_batch(const Batch& batch, Exchanged exchanged, Invented invented,
                               const SumOf& sum_of) const;
  /// Sums this process's share of the members; the team's leader gets the sum over all of them, the
  /// others zeros.
  Result<LatticeSum> sum_share(std::span<const std::uint32_t> members, const SumOf& sum_of) const;
  Status add_noise(std::span<std::int64_t> sums, Workers* workers) const;
  NoisySum to_noisy(const ClippedSum& sum) const;

  ContributionLayout layout_;
  Adjacency adjacency_;
  double noise_multiplier_;
  ReleasePermit permit_;
  NoiseLane lane_;
  std::uint64_t step_ = 0;  ///< releases so far: names the noise, never repeats
};

}  // namespace dpfermi
