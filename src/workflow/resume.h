#pragma once

/// Going on from a checkpoint: only with the run that wrote it.

#include <string>

#include "artifact/checkpoint_file.h"
#include "workflow/training_run.h"

namespace dpfermi {

/// What must be alike for a run to go on, beside its plan and its data: how the table is read,
/// fitted and split, and the images and the network that it is of.
Result<std::string> setup_digest(const TrainingJob& job, const PreparedData& data);

/// Refuses a checkpoint of another run than `job` and `plan` describe; says what differs.
Status check_same_run(const Checkpoint& checkpoint, const TrainingJob& job,
                      const TrainingPlan& plan, const std::string& setup);

}  // namespace dpfermi
