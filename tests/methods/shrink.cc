// Shrinking: a plain regression whose weights, all but the bias, are divided by 1 + lambda. The
// larger lambda is, the more people get the same decision.

#include <span>

#include "optimize/baseline.h"

namespace dpfermi {
namespace {

Result<TrainingResult> train_shrunk(const Dataset& data, const BaselineOptions& options,
                                    const ExactRead& /*read*/, NoiseSource noise,
                                    const TrainingHooks& hooks) {
  DPFERMI_ASSIGN(TrainingResult training, train_plain(data, options, std::move(noise), hooks));
  const std::size_t weights = training.model.inputs * training.model.outputs();
  for (double& weight : std::span(training.theta).first(weights)) weight /= 1 + options.lambda;
  return training;
}

}  // namespace

namespace methods {

extern const MethodDescriptor shrink = {
    .name = "shrink",
    .origin = "this page",
    .summary = "not private: a plain regression with smaller weights",
    .multi_class = true,
    .knob = Knob::kWeight,
    .knob_meaning = "what the weights are divided by, less 1",
    .parity_values = {0, 0.5, 1, 2, 4},
    .odds_values = {0, 0.5, 1, 2, 4},
    .minibatch = true,
    .train_exactly = train_shrunk,
};

}  // namespace methods
}  // namespace dpfermi
