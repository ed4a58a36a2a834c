#include "optimize/training.h"

#include "core/text.h"
#include "optimize/baseline.h"
#include "optimize/deep_problem.h"

namespace dpfermi {
namespace {

Status check_deep_network(const Dataset& data, const TrainingPlan& plan,
                          const TrainingHooks& hooks) {
  if (plan.network_parameters == 0) return {};
  DeepNetwork* network = hooks.deep_network;
  if (network == nullptr || network->parameters() != plan.network_parameters) {
    return usage_error("the plan is for a network of " + with_thousands(plan.network_parameters) +
                       " parameters; bring that one");
  }
  DPFERMI_TRY(DeepProblem::check(data, *network));
  return network->set_parameters(network->start());
}

}  // namespace

Status check_run(const Dataset& data, const TrainingPlan& plan, const TrainingHooks& hooks) {
  DPFERMI_TRY(check_mechanism(plan));
  if (!hooks.start.empty() && plan.network_parameters == 0 &&
      hooks.start.size() != plan.parameter_count()) {
    return usage_error("the starting values do not fit the model; leave them out");
  }
  if (hooks.resume != nullptr && hooks.resume->state.theta.size() != plan.parameter_count()) {
    return usage_error("the checkpoint is of another model; resume the run that wrote it");
  }
  return check_deep_network(data, plan, hooks);
}

Result<TrainingResult> train(const Dataset& data, const TrainingPlan& plan, StepLedger& ledger,
                             NoiseSource noise, const TrainingHooks& hooks) {
  DPFERMI_TRY(check_run(data, plan, hooks));
  if (const BaselineOptions* options = plan.baseline()) {
    return train_baseline(plan.method.descriptor(), data, *options, ledger, std::move(noise),
                          hooks);
  }
  DPFERMI_ASSIGN(TrainingResult result,
                 plan.method->train_plan(data, plan, ledger, std::move(noise), hooks));
  // Trees are as large as they have grown.
  if (!plan.model.boosted) result.model = plan.model;
  return result;
}

}  // namespace dpfermi
