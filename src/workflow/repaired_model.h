#pragma once

/// The model whose decisions a run repairs.

#include <string>

#include "artifact/trained_model.h"
#include "workflow/training_run.h"

namespace dpfermi {

/// The model in the file that the job names. Refuses one that takes other inputs or classes than
/// the data have, one that does not decide by its scores alone, one that read s without noise, and
/// one whose releases are private under another adjacency. `sketch` is what the repair is made of;
/// null: s is at hand.
Result<TrainedModel> model_to_repair(const TrainingJob& job, const PreparedData& data,
                                     const StoredSketch* sketch);

/// Adds what the model released to the statement of the repaired one, which contains it: releases
/// and assumptions are listed, and the costs add up.
/// Requires: a model of model_to_repair.
/// Why: plain sums hold even if the later run was chosen after seeing the earlier one.
void add_releases_of(const TrainedModel& repaired, PrivacyStatement& statement);

/// Where scores of another model are right more often than they say, or less often, by more than
/// chance: what that means, for people. Empty: nothing is wrong, or there are none. Reads x, y and
/// scores.
std::string calibration_doubt(const Dataset& data);

/// What case weights do not do in a repair, for people. Empty: there are none, or nothing is
/// repaired.
std::string note_on_weights(const TrainingPlan& plan, const Dataset& data);

}  // namespace dpfermi
