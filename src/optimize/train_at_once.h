#pragma once

/// Training without noise over all rows at once: deterministic, by L-BFGS.

#include "optimize/training.h"

namespace dpfermi {

/// The minimum of the loss alone, or of loss + lambda psi with s in the place of its proxy, or a
/// model that meets the plan's target (sketch/proxy_training.h). Groups without members take no
/// part. Reads s if reads_groups_exactly(plan): then it must have been charged.
Result<TrainingResult> train_at_once(const Dataset& data, const TrainingPlan& plan,
                                     PrivacyStatement statement, NoiseSource& noise,
                                     const TrainingHooks& hooks);

/// Whether a run by steps starts at the minimum of the loss instead of at zero: softmax regression
/// where x and y are public, so that this costs nothing, and T steps are too few for columns that
/// hold more than 2 % of the mean square of [x, 1]. Along a column of mean square m they come about
/// 1 - exp(-eta T m / 4) of the way: rare values of wide categories would stay where they began.
bool starts_at_minimum(const TrainingPlan& plan, const Dataset& data, const TrainingHooks& hooks);

/// That minimum. Does not read s.
Result<std::vector<double>> loss_minimum(const Dataset& data, const TrainingPlan& plan,
                                         const TrainingHooks& hooks);

}  // namespace dpfermi
