#pragma once

/// Training of all parameters of a network on images (--private-part network): private by dp-fermi,
/// and without noise by fermi and erm, to compare with.

#include "training_job.h"

namespace dpfermi::cli {

/// What flags alone decide: refused unless one of these methods trains.
Status check_whole_network(const TrainingJob& job);

/// Puts the network that training starts from beside its images, and tells the job's request what
/// the rules want to know of it. Nothing protected has a part in that.
Status open_network(const Context& context, TrainingJob& job);

/// After the run: adopts the softmax of the network that was trained (image_training.h).
Status adopt_network(TrainingJob& job, PreparedData& data, TrainingPlan& plan,
                     TrainingResult& result);

}  // namespace dpfermi::cli
