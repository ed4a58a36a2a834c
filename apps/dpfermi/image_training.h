#pragma once

/// What a run on images does besides that on their table of features.

#include "training_job.h"

namespace dpfermi::cli {

/// theta_0: the network's own last layer, where the model is one; nothing otherwise.
Result<std::vector<double>> start_of(const TrainingJob& job, const PreparedData& data,
                                     const TrainingPlan& plan);

/// Makes the job, the plan and the result those of the softmax of the images' network, and `data`
/// what a model file needs of its table, which need not be there: its ranges are declared. What was
/// released about the decisions of another model is dropped.
Status adopt_images(EmbeddedImages images, TrainingJob& job, PreparedData& data, TrainingPlan& plan,
                    TrainingResult& result);

/// After a sketch: trains the whole network by loss + lambda psi under the proxy that `result`
/// holds, and adopts its softmax. Nothing protected is read on the way.
Status tune_network(const Context& context, TrainingJob& job, PreparedData& data,
                    TrainingPlan& plan, TrainingResult& result);

/// The data under the network that was adopted, to measure the model on. Where this fails, the
/// error says that the model is there.
Result<PreparedData> described_data(const Context& context, TrainingJob& job);

}  // namespace dpfermi::cli
