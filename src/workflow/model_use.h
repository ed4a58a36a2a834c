#pragma once

/// A trained model at work.

#include <span>
#include <string>
#include <vector>

#include "artifact/trained_model.h"
#include "data/dataset.h"
#include "dpfermi/evaluate/metrics.h"
#include "workflow/load.h"
#include "workflow/run_outcome.h"

namespace dpfermi {

/// The model of a command that takes a model and then a table: asks whether they were swapped.
Result<TrainedModel> read_model_first(const std::string& model, const std::string& table);

/// What the model says about every row. A rule that needs the group reads it in `data`.
Result<Predictions> predict_rows(const TrainedModel& model, const Dataset& data);

/// How the model does on data with labels; exact, for the holder of the data. `scores`: instead of
/// the model's own.
Result<Metrics> measure(const TrainedModel& model, const Dataset& data,
                        std::span<const float> scores = {});

/// Whether figures about all rows may be shown: features and labels are public, the rule does not
/// need s, and whatever the model read of s came with secret noise.
bool errors_are_public(const TrainedModel& model);

/// What of measure() does not read s.
Result<Performance> performance_on(const TrainedModel& model, const Dataset& data);

/// measure() of the model of `outcome`, on the training rows, whose scores may be given, and the
/// test rows if there are any; beside it the best constant and, where there is a target, the
/// violation among the groups that the run compares.
Status measure(const PreparedData& data, std::span<const float> scores, TrainingOutcome& outcome);

}  // namespace dpfermi
