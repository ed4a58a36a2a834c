#pragma once

/// `dp-sgd`: private training without fairness (Abadi et al. 2016), the yardstick of what record
/// privacy alone costs. Each step clips the gradients of a secret Poisson batch, adds one Gaussian
/// to their sum and descends; the mean of the last half of the iterates is kept.
///
/// Protects whole records (replace-record). Prediction needs x alone.
///
/// Where it deviates from public code: batches are drawn as they are accounted (most libraries
/// shuffle and account for Poisson), sums are divided by the expected batch, and epsilon comes from
/// the certified accountant. Numbers that are left open are those of our own methods
/// (docs/defaults.md).

#include "baselines/baseline.h"

namespace dpfermi {

namespace methods {
extern const MethodDescriptor dp_sgd;
}  // namespace methods

/// Notion and lambda are not used.
struct DpSgdOptions : BaselineOptions {
  std::uint64_t steps = 1600;
};

Result<BaselineResult> dp_sgd(const Dataset& data, const DpSgdOptions& options, StepLedger& ledger,
                              NoiseSource noise, const TrainingHooks& hooks = {});

}  // namespace dpfermi
