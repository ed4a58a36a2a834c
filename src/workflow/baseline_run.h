#pragma once

#include "workflow/training_run.h"

namespace dpfermi {

/// run_training for the baseline of the job: charge, read, train, write the model, commit, measure.
/// `loaded`: its table, where it was read before; null: the run reads it.
Result<TrainingOutcome> run_baseline(Observer& observer, const TrainingJob& job,
                                     const PreparedData* loaded);

}  // namespace dpfermi
