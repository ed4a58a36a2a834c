#pragma once

/// Batches whose membership is public: for terms that read public columns only, or, through
/// Batch::unamplified, for sums without amplification. Not thread-safe: one thread at a time.

#include <cstdint>
#include <memory>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/random/noise_source.h"

namespace dpfermi {

class KeyedOrder;

/// Consecutive pieces of an order of all units, another order for every epoch. An epoch's last
/// batch may be short. A batch costs as much as it holds, and no order is stored: the unit at a
/// position is computed, by a permutation under keys of the epoch.
///
/// How random: units, pairs and neighbours fall as evenly as in a true shuffle, by test and not by
/// proof (the keys are as good as uniform, the twelve rounds of hashing are plain arithmetic).
/// Whole orders do not: there are fewer keys than orders, and even of five units some orders are a
/// few per cent more likely than others. Enough to spread public batches; no privacy may rest on
/// it.
class ShuffleSampler {
 public:
  /// Requires 1 <= size <= units.
  static Result<ShuffleSampler> create(std::uint32_t units, std::uint32_t size, NoiseLane lane);

  /// In the epoch's order.
  Result<std::vector<std::uint32_t>> next();

  /// Passes over `count` batches, to resume a run in the middle.
  void skip(std::uint64_t count);

  /// Depends on the number of units: under add/remove it must not decide how many releases are
  /// made.
  std::uint64_t batches_per_epoch() const { return (std::uint64_t{units_} + size_ - 1) / size_; }

 private:
  ShuffleSampler(std::uint32_t units, std::uint32_t size, NoiseLane lane)
      : units_(units), size_(size), lane_(std::move(lane)) {}

  std::uint32_t units_;
  std::uint32_t size_;
  NoiseLane lane_;
  std::uint64_t epoch_ = 0;
  std::uint64_t batch_ = 0;                  ///< of the epoch
  std::shared_ptr<const KeyedOrder> order_;  ///< the epoch's; empty: not keyed yet
};

}  // namespace dpfermi
