#pragma once

/// Public batches as anybody can read them off the model: where every record has an input column of
/// its own, a step moves the weights of the public batch's members and no others.

#include <cstdint>
#include <vector>

#include "audit/sampler_checks.h"
#include "dpfermi/core/result.h"
#include "optimize/training.h"

namespace dpfermi {

struct WatchedBatches {
  std::vector<BatchPair> steps;
  double q = 1;  ///< of the secret ones, as charged
};

/// From `runs` runs of dp-fermi with the budget of the request, on 64 synthetic records.
Result<WatchedBatches> watch_public_batches(const TrainingRequest& request, std::size_t runs,
                                            std::uint64_t seed);

}  // namespace dpfermi
