#pragma once

/// Method `sketch`: pay once, then train as you like (docs/sketch.md).
///
///   1. Charge the sketch and a fixed number of residual queries.
///   2. Release the sketch; fit the proxy p~(s | x, c).
///   3. For every round but the last: train on loss + lambda psi under p~; ask, privately, what the
///      proxy misses about this model's decisions; fold the answer back into p~.
///   4. Train once more; the last round measures the finished model: an interval for its violation.
///
/// With hooks.follow, rounds are about the model elsewhere: theta stays that of the first proxy's
/// model, and there are no released_rates.
///
/// Without s, from a sketch file, 2 is reading the file and there are no rounds: nothing is spent.

#include "optimize/training.h"

namespace dpfermi {

/// Completes `plan`, which holds what all methods share.
Result<TrainingPlan> plan_with_sketch(const TrainingRequest& request, const Dataset& data,
                                      TrainingPlan plan);

/// Requires: a plan of plan_with_sketch for this data.
Result<TrainingResult> train_with_sketch(const Dataset& data, const TrainingPlan& plan,
                                         StepLedger& ledger, NoiseSource noise,
                                         const TrainingHooks& hooks);

/// The plan of a model from a sketch that was made before: nothing is released, s is not read and
/// need not be there. Refused where the sketch does not serve the notion.
Result<TrainingPlan> plan_from_sketch(const TrainingRequest& request, const Dataset& data,
                                      std::size_t favourable, const Sketch& sketch);

/// `features` are the sketch's, of these rows, or it is refused; `noise` draws starting values
/// only.
Result<TrainingResult> train_from_sketch(const Dataset& data, const TrainingPlan& plan,
                                         const Sketch& sketch, const SketchFeatures& features,
                                         NoiseSource noise, const TrainingHooks& hooks);

}  // namespace dpfermi
