#pragma once

/// The model whose decisions a run repairs.

#include <string>

#include "artifact/trained_model.h"
#include "workflow/training_run.h"

namespace dpfermi {

/// The model in the file that the job names. Refuses one that takes other inputs or classes than
/// the data have, one that does not decide by its scores alone, and one that read s without noise:
/// what a model tells about all rows together is taken for public.
Result<TrainedModel> model_to_repair(const TrainingJob& job, const PreparedData& data);

/// Where scores of another model are right more often than they say, or less often, by more than
/// chance: what that means, for people. Empty: nothing is wrong, or there are none. Reads x, y and
/// scores.
std::string calibration_doubt(const Dataset& data);

}  // namespace dpfermi
