#pragma once

/// Sums with Laplace noise, for pure epsilon: contributions bounded in l1 norm, on a lattice,
/// summed as integers, with discrete Laplace noise. No delta, and no caveat about floating point.

#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger.h"
#include "dpfermi/privacy/mechanism/contribution.h"
#include "dpfermi/privacy/protected.h"
#include "dpfermi/random/noise_source.h"

namespace dpfermi {

/// Released sums, in the units of the contributions. Move-only, as every release.
class LaplaceSums {
 public:
  LaplaceSums(LaplaceSums&&) noexcept = default;
  LaplaceSums& operator=(LaplaceSums&&) noexcept = default;
  LaplaceSums(const LaplaceSums&) = delete;
  LaplaceSums& operator=(const LaplaceSums&) = delete;
  ~LaplaceSums() = default;

  const std::vector<double>& values() const { return values_; }
  double scale() const { return scale_; }  ///< b of the noise on each value
  Reproducibility reproducibility() const { return reproducibility_; }

 private:
  friend class LaplacePrivatizer;
  LaplaceSums(std::vector<double> values, double scale, Reproducibility reproducibility)
      : values_(std::move(values)), scale_(scale), reproducibility_(reproducibility) {}

  std::vector<double> values_;
  double scale_;
  Reproducibility reproducibility_;
};

/// Not thread-safe: one thread at a time.
class LaplacePrivatizer {
 public:
  /// A contribution has `size` entries and an l1 norm of at most `longest`, in its own units;
  /// longer ones are shortened. The noise on every entry of the sum has scale b = d longest /
  /// epsilon, d = neighbour_distance(adjacency). Refused where the permit was charged for anything
  /// but a PureRelease of this epsilon under this adjacency, or for noise of another kind.
  /// Why it is epsilon-DP: the lattice sums of neighbours lie d 2^bits apart in l1 norm at the
  /// most, and P(k) / P(k + shift) <= exp(|shift| / t) for each entry; t >= d 2^bits / epsilon.
  static Result<LaplacePrivatizer> create(Adjacency adjacency, std::size_t size, double longest,
                                          double epsilon, ReleasePermit permit, NoiseLane lane);

  /// Calls contribution(data, unit, out) for the units 0, ..., units - 1, `out` zeroed, and
  /// releases the sum of what it writes; uses up one release of the permit. A contribution that is
  /// not finite counts as zero. Requires of the function, and no type can check it: what it writes
  /// for a unit depends on that unit's protected values alone (and on public or released ones), and
  /// it keeps and prints nothing.
  template <class T, ContributionOf<T> Contribution>
  Result<LaplaceSums> release(const Protected<T>& data, std::uint32_t units,
                              Contribution&& contribution) {
    DPFERMI_TRY(permit_.check());
    DPFERMI_TRY(permit_.check_tap(data.invented()));
    const T& values = data.read(ProtectedReadKey());
    return release_sums(
        units, [&](std::uint32_t unit, std::span<double> out) { contribution(values, unit, out); });
  }

  double scale() const;  ///< b

 private:
  using UnitContribution = std::function<void(std::uint32_t, std::span<double>)>;

  LaplacePrivatizer(Adjacency adjacency, std::size_t size, double longest, std::int64_t scale,
                    ReleasePermit permit, NoiseLane lane)
      : adjacency_(adjacency),
        size_(size),
        longest_(longest),
        scale_(scale),
        permit_(std::move(permit)),
        lane_(std::move(lane)) {}

  Result<LaplaceSums> release_sums(std::uint32_t units, const UnitContribution& contribution);
  void quantise(std::span<double> contribution, std::span<std::int64_t> lattice) const;

  Adjacency adjacency_;
  std::size_t size_;
  double longest_;
  std::int64_t scale_;  ///< t, in lattice units
  ReleasePermit permit_;
  NoiseLane lane_;
  std::uint64_t step_ = 0;
};

}  // namespace dpfermi
