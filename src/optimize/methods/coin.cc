#include <cmath>

#include "core/text.h"
#include "optimize/dp_fermi.h"
#include "optimize/planning.h"

namespace dpfermi {
namespace {

Result<TrainingPlan> plan_coin(const TrainingRequest& request, const Dataset& data,
                               TrainingPlan plan) {
  plan.lambda = request.lambda.value_or(0.5);
  if (!(plan.lambda <= 1)) {
    return usage_error("`lambda` of coin is the share of constant decisions, at most 1, not " +
                       shortest(plan.lambda));
  }
  return plan_exact(request, data, std::move(plan));
}

/// The violation of a mixture of a model with a constant is that of the model times the model's
/// weight: every group gets the constant equally often.
Result<TrainingResult> train_coin(const Dataset& data, const TrainingPlan& plan, StepLedger& ledger,
                                  NoiseSource noise, const TrainingHooks& hooks) {
  TrainingPlan model = plan;
  model.lambda = 0;
  DPFERMI_ASSIGN(TrainingResult result, exact_fermi(data, model, ledger, std::move(noise), hooks));
  const std::vector<double> constant =
      constant_member(plan.model, commonest_label(data.y, data.classes, data.weights));
  result.theta.insert(result.theta.end(), constant.begin(), constant.end());
  result.rule.weights = {1 - plan.lambda, plan.lambda};
  result.lambda = plan.lambda;
  return result;
}

}  // namespace

extern const MethodDescriptor methods::coin = {
    .name = "coin",
    .origin = "the free line",
    .summary = "a coin between erm and the best constant: needs no protected attribute",
    .colour = "#777777",
    .multi_class = true,
    .protects = "sensitive (s is not read)",
    .knob = Knob::kShare,
    .knob_meaning = "share of constant decisions",
    .parity_values = {0, 0.5, 1},
    .odds_values = {0, 0.5, 1},
    .minibatch = true,
    .takes_hidden = true,
    .takes_weights = true,
    .randomised = true,
    .plain = true,
    .plan = plan_coin,
    .train_plan = train_coin,
};

}  // namespace dpfermi
