#pragma once

/// A trained model at work.

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

/// Whether decisions are drawn, or depend on the group: the most likely class is then not all.
bool decides_by_rule(const TrainedModel& model);

/// Class probabilities (rows x classes) of every row; those of the decisions, where these are made
/// by a rule. A rule that needs the group reads it in `data`.
Result<std::vector<float>> probabilities(const TrainedModel& model, const Dataset& data);

/// How the model does on data with labels; exact, for the holder of the data.
Result<Metrics> measure(const TrainedModel& model, const Dataset& data);

/// The same for the model of `outcome`, on the training rows and the test rows if there are any.
Status measure(const PreparedData& data, TrainingOutcome& outcome);

}  // namespace dpfermi
