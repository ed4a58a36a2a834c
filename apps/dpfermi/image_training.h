#pragma once

/// What a run on images does besides that on their table of features.

#include "training_job.h"

namespace dpfermi::cli {

/// theta_0: the network's own last layer, where the model is one; nothing otherwise.
Result<std::vector<double>> start_of(const TrainingJob& job, const PreparedData& data,
                                     const TrainingPlan& plan);

/// Makes the job, the plan and the result those of the softmax of the images' network, and returns
/// its data. What was released about the decisions of another model is dropped.
Result<PreparedData> adopt_images(EmbeddedImages images, TrainingJob& job, TrainingPlan& plan,
                                  TrainingResult& result);

/// After a sketch of `train`: trains the whole network by loss + lambda psi under the proxy that
/// `result` holds, and makes the job, the plan and the result those of its softmax. Returns its
/// data. Nothing protected is read on the way. What was released about the last layer's decisions
/// says nothing about these and is dropped.
Result<PreparedData> tune_network(const Context& context, const Dataset& train, TrainingJob& job,
                                  TrainingPlan& plan, TrainingResult& result);

}  // namespace dpfermi::cli
