#pragma once

#include "training_job.h"

namespace dpfermi::cli {

/// run_training for the baseline of the job: charge, read, train, write the model, commit, measure.
Result<TrainingOutcome> run_baseline(const Context& context, const TrainingJob& job);

}  // namespace dpfermi::cli
