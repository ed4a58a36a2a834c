#pragma once

/// Training from a sketch file, where s is absent.

#include "dpfermi/artifact/sketch_file.h"
#include "image_training.h"
#include "training_job.h"

namespace dpfermi::cli {

/// Refuses flags that mean nothing here; takes over which rows the sketch was made of and, where s
/// is at hand, its domain.
Status adopt_sketch(const StoredSketch& stored, TrainingJob& job);

/// Refuses a sketch of other data.
Status check_sketch(const StoredSketch& stored, const TrainingJob& job, const PreparedData& data);

/// `follower`: of images, or null.
Result<TrainingResult> run_from_sketch(const TrainingJob& job, const PreparedData& data,
                                       const TrainingPlan& plan, const StoredSketch& stored,
                                       NetworkFollower* follower);

}  // namespace dpfermi::cli
