#pragma once

/// Boosted trees as a part of a run.

#include "optimize/training.h"
#include "trees/boosted_trees.h"

namespace dpfermi {

/// The trees of a run: those that were grown before, or fresh ones. Reads nothing protected.
Result<BoostedTrees> trees_of(const Dataset& data, const TrainingHooks& hooks);

/// Method erm with trees: they alone.
Result<TrainingResult> train_boosted(const Dataset& data, const TrainingPlan& plan,
                                     PrivacyStatement statement, const TrainingHooks& hooks);

}  // namespace dpfermi
