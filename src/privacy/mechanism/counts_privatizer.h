#pragma once

/// Counts of units by cell (group, or group and condition), released with exact discrete Gaussian
/// noise: integers in, integers out. Every unit is counted in at most one cell.

#include <concepts>
#include <cstdint>
#include <functional>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger.h"
#include "dpfermi/privacy/protected.h"
#include "dpfermi/random/noise_source.h"

namespace dpfermi {

/// Released counts: they may be negative, and anything computed from them is free. Move-only, as
/// every release.
class NoisyCounts {
 public:
  NoisyCounts(NoisyCounts&&) noexcept = default;
  NoisyCounts& operator=(NoisyCounts&&) noexcept = default;
  NoisyCounts(const NoisyCounts&) = delete;
  NoisyCounts& operator=(const NoisyCounts&) = delete;
  ~NoisyCounts() = default;

  const std::vector<std::int64_t>& values() const { return values_; }
  double sigma() const { return sigma_; }
  Reproducibility reproducibility() const { return reproducibility_; }

 private:
  friend class CountsPrivatizer;
  NoisyCounts(std::vector<std::int64_t> values, double sigma, Reproducibility reproducibility)
      : values_(std::move(values)), sigma_(sigma), reproducibility_(reproducibility) {}

  std::vector<std::int64_t> values_;
  double sigma_;
  Reproducibility reproducibility_;
};

/// The event of one table of counts. A unit that changes its cell takes one from a cell and gives
/// one to another: two unit changes. One that appears or vanishes changes one cell by one.
Result<PrivacyEvent> counts_event(Adjacency adjacency, double sigma);

/// cell_of(data, unit) -> which cell counts the unit.
template <class F, class T>
concept CellOf = std::invocable<F&, const T&, std::uint32_t>;

/// Not thread-safe: one thread at a time.
class CountsPrivatizer {
 public:
  /// Refused where the permit was charged for anything but counts_event(adjacency, sigma), or for
  /// noise of another kind than the lane's (ReleasePermit::check_noise).
  static Result<CountsPrivatizer> create(Adjacency adjacency, double sigma, ReleasePermit permit,
                                         NoiseLane lane);

  /// Counts the units 0, ..., units - 1 by cell_of(data, unit) and releases the table; uses up one
  /// release of the permit. A cell outside [0, cells) is not counted. A unit is a record, or a
  /// person where an id column is given: a person counted once per record would need more noise.
  /// Requires of the function, and no type can check it: a unit's cell depends on that unit's
  /// protected values alone (and on public or released ones), and it keeps and prints nothing;
  /// `cells` is public.
  template <class T, CellOf<T> Cell>
  Result<NoisyCounts> release(const Protected<T>& data, std::uint32_t units, std::size_t cells,
                              Cell&& cell_of) {
    DPFERMI_TRY(permit_.check());
    DPFERMI_TRY(permit_.check_tap(data.invented()));
    const T& values = data.read(ProtectedReadKey());
    return release_counts(units, cells,
                          [&](std::uint32_t unit) { return std::size_t{cell_of(values, unit)}; });
  }

 private:
  CountsPrivatizer(double sigma, ReleasePermit permit, NoiseLane lane)
      : sigma_(sigma), permit_(std::move(permit)), lane_(std::move(lane)) {}

  Result<NoisyCounts> release_counts(std::uint32_t units, std::size_t cells,
                                     const std::function<std::size_t(std::uint32_t)>& cell_of);

  double sigma_;
  ReleasePermit permit_;
  NoiseLane lane_;
  std::uint64_t step_ = 0;
};

}  // namespace dpfermi
