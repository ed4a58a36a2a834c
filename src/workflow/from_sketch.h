#pragma once

/// Training from a sketch file, where s is absent.

#include "artifact/sketch_file.h"
#include "workflow/image_run.h"
#include "workflow/training_run.h"

namespace dpfermi {

/// Refuses settings that mean nothing here; takes over which rows the sketch was made of and, where
/// s is available, its domain.
Status adopt_sketch(const StoredSketch& stored, TrainingJob& job);

/// Refuses a sketch of other data.
Status check_sketch(const StoredSketch& stored, const TrainingJob& job, const PreparedData& data);

Result<TrainingResult> run_from_sketch(const TrainingJob& job, const PreparedData& data,
                                       const TrainingPlan& plan, const StoredSketch& stored,
                                       NoiseSource noise, const TrainingHooks& hooks);

}  // namespace dpfermi
