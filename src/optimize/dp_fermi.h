#pragma once

/// Algorithm 1: DP-FERMI, as it must be to be private (docs/training.md says where it differs from
/// the paper and why).
///
///   0. Charge everything that will be released.
///   1. Release noisy group counts, once: p~_{r|c}.
///   2. For t = 1 ... T:
///        a. public part of the gradient, on a public batch;
///        b. secret part on an independent Poisson batch: clipped, summed, one Gaussian on theta
///           and table together;
///        c. theta <- theta - eta_theta (...);  W <- best response to the smoothed table, or
///           Pi(W + eta_w lambda (...)).
///   3. The mean of the last half of the iterates.
///
/// Under the record adjacencies 2a is empty and 2b holds the whole gradient.

#include "optimize/training.h"

namespace dpfermi {

/// Requires: plan.method == kDpFermi, and what check_run checks.
Result<TrainingResult> dp_fermi(const Dataset& data, const TrainingPlan& plan, StepLedger& ledger,
                                NoiseSource noise, const TrainingHooks& hooks);

/// The same objective with s read exactly (kFermi), or without it (kErm, and kDpFermi with
/// lambda = 0, which has nothing to release). What is read exactly is charged first. Requires what
/// check_run checks.
Result<TrainingResult> exact_fermi(const Dataset& data, const TrainingPlan& plan,
                                   StepLedger& ledger, NoiseSource noise,
                                   const TrainingHooks& hooks);

}  // namespace dpfermi
