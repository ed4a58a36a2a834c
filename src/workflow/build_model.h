#pragma once

#include "artifact/sketch_file.h"
#include "workflow/training_run.h"

namespace dpfermi {

/// What a run leaves behind: parameters, preprocessing, statement, record. Nothing exact about
/// groups goes in. Where the model came from a sketch, groups and promises are the sketch's.
TrainedModel build_model(const TrainingJob& job, const PreparedData& data, const TrainingPlan& plan,
                         const TrainingResult& result, const StoredSketch* sketch = nullptr);

/// The same of a baseline's run.
TrainedModel build_model(const TrainingJob& job, const PreparedData& data,
                         const BaselineOptions& options, const BaselineResult& result);

}  // namespace dpfermi
