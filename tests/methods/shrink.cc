// Shrinking: a plain regression whose weights, all but the bias, are divided by 1 + lambda. The
// larger lambda is, the more people get the same decision.

#include <span>

#include "baselines/baseline.h"

namespace dpfermi {
namespace {

Result<BaselineResult> train_shrunk(const Dataset& data, const BaselineOptions& options,
                                    StepLedger& ledger, NoiseSource noise,
                                    const TrainingHooks& hooks) {
  DPFERMI_ASSIGN(const TrainingPlan plan,
                 plan_training({.method = Method::kErm}, data, options.favourable));
  DPFERMI_ASSIGN(TrainingResult training, train(data, plan, ledger, std::move(noise), hooks));
  const std::size_t weights = plan.model.inputs * plan.model.outputs();
  for (double& weight : std::span(training.theta).first(weights)) weight /= 1 + options.lambda;
  return BaselineResult{plan.model, {}, std::move(training)};
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
    .train = train_shrunk,
};

}  // namespace methods
}  // namespace dpfermi
