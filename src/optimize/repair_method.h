#pragma once

/// Method `repair`: keep a model, decide fairly by its scores (docs/repair.md).
///
///   1. Charge the sketch and a fixed number of residual queries.
///   2. Release the sketch; fit the proxy p~(s | x, c).
///   3. Ask about the decisions of the model as it is. For every round but the last: find the rule
///      of least cost within the target under the proxy and the latest answer
///      (repair/repair_problem.h); ask about its decisions; what the answer has more than the proxy
///      is added to the proxy's rates.
///   4. The best point that was measured is returned (optimize/model_choice.h); the last round
///      measures it. With fewer than three rounds, the best point by the proxy's rates.
///
/// Scores are those of the data (Dataset::scores), of the model in hooks.repaired, or of a model
/// without fairness that is trained here. Boosted trees are too sure about rows they were grown on:
/// a rule is found, and asked about, by the scores of trees that have not seen the row.
///
/// Method `linear-post` (Xian and Zhao, arXiv 2405.04025) is the same rule without privacy: the
/// proxy is fitted to the exact sums of groups, with a ridge where noise would forbid more, and
/// nothing is asked afterwards. What privacy costs a repair is the distance between the two.
///
/// Without s, from a sketch file, 2 is reading the file and there are no rounds: nothing is spent.

#include "optimize/training.h"

namespace dpfermi {

/// Completes `plan`, which holds what all methods share. Refused where the sketch would sum up more
/// than encoded rows: a rule must be able to compute the proxy of a new row.
Result<TrainingPlan> plan_with_repair(const TrainingRequest& request, const Dataset& data,
                                      TrainingPlan plan);

/// Requires: a plan of plan_with_repair for this data.
Result<TrainingResult> train_with_repair(const Dataset& data, const TrainingPlan& plan,
                                         StepLedger& ledger, NoiseSource noise,
                                         const TrainingHooks& hooks);

/// The plan and the training of linear-post; the plan reads nothing protected.
Result<TrainingPlan> plan_linear_post(const TrainingRequest& request, const Dataset& data,
                                      TrainingPlan plan);
Result<TrainingResult> train_linear_post(const Dataset& data, const TrainingPlan& plan,
                                         StepLedger& ledger, NoiseSource noise,
                                         const TrainingHooks& hooks);

/// A repair from a sketch that was made before: nothing is released, s is not read and need not be
/// there.
Result<TrainingPlan> plan_repair_from_sketch(const TrainingRequest& request, const Dataset& data,
                                             std::size_t favourable, const Sketch& sketch);

/// Requires a plan of plan_repair_from_sketch.
Result<TrainingResult> repair_from_sketch(const Dataset& data, const TrainingPlan& plan,
                                          const Sketch& sketch, const SketchFeatures& features,
                                          NoiseSource noise, const TrainingHooks& hooks);

}  // namespace dpfermi
