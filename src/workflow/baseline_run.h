#pragma once

#include "workflow/training_run.h"

namespace dpfermi {

/// run_training for the baseline of the job: charge, read, train, write the model, commit, measure.
Result<TrainingOutcome> run_baseline(Observer& observer, const TrainingJob& job);

/// The same on a table that is loaded already.
Result<TrainingOutcome> run_baseline(Observer& observer, const TrainingJob& job,
                                     const PreparedData& data);

}  // namespace dpfermi
