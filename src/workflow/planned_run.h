#pragma once

/// The middle of a run, on rows that are encoded. The front door, experiments and the audit's
/// rehearsals share it.

#include <span>

#include "dpfermi/evaluate/metrics.h"
#include "optimize/training.h"

namespace dpfermi {

/// Closes a run in its ledger, once its result is safe: nothing more is released in it.
Status close_run(const TrainingPlan& plan, StepLedger& ledger);

/// Charges the plan, trains by it and closes the run.
Result<TrainingResult> run_plan(const Dataset& data, const TrainingPlan& plan, StepLedger& ledger,
                                NoiseSource noise, const TrainingHooks& hooks);

/// The parameters as a model file holds them: in 32 bits.
std::vector<float> stored_theta(std::span<const double> theta);

/// Exact figures of a model as a file would hold it, on data with labels: for the holder of the
/// data. `draws`: those of a mixture's decisions. Groups in `left_out` are not compared. `scores`:
/// instead of the model's own.
Result<Metrics> measure(const ModelSpec& model, const DecisionRule& rule,
                        std::span<const double> theta, const Dataset& data, std::size_t favourable,
                        Draws draws, const std::vector<bool>& left_out = {},
                        std::span<const float> scores = {});

}  // namespace dpfermi
