#pragma once

/// Batches whose membership is no secret, by number of units: for terms that read public columns
/// only, or, through Batch::unamplified, for sums without amplification. Not thread-safe: one
/// thread at a time.

#include <cstdint>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/random/noise_source.h"

namespace dpfermi {

/// `size` different units out of `units`, all subsets equally likely, each batch on its own.
class FixedSizeSampler {
 public:
  /// Requires 1 <= size <= units.
  static Result<FixedSizeSampler> create(std::uint32_t units, std::uint32_t size, NoiseLane lane);

  /// Ascending.
  Result<std::vector<std::uint32_t>> next();

  /// Passes over `count` batches.
  void skip(std::uint64_t count) { step_ = NoiseLane::after(step_, count); }

 private:
  FixedSizeSampler(std::uint32_t units, std::uint32_t size, NoiseLane lane)
      : units_(units), size_(size), lane_(std::move(lane)) {}

  std::uint32_t units_;
  std::uint32_t size_;
  NoiseLane lane_;
  std::uint64_t step_ = 0;
};

/// Consecutive pieces of a random order of all units, a fresh order for every epoch. An epoch's
/// last batch may be short.
class ShuffleSampler {
 public:
  /// Requires 1 <= size <= units.
  static Result<ShuffleSampler> create(std::uint32_t units, std::uint32_t size, NoiseLane lane);

  /// In the epoch's order.
  Result<std::vector<std::uint32_t>> next();

  /// Tells the number of units: under add/remove it must not decide how many releases are made.
  std::uint64_t batches_per_epoch() const;

 private:
  ShuffleSampler(std::uint32_t units, std::uint32_t size, NoiseLane lane)
      : size_(size), position_(units), order_(units), lane_(std::move(lane)) {}

  std::uint32_t size_;
  std::size_t position_;  ///< in order_; its end: a new epoch is due
  std::vector<std::uint32_t> order_;
  NoiseLane lane_;
  std::uint64_t epoch_ = 0;
};

}  // namespace dpfermi
