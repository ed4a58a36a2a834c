// What is refused before the charge.

#include <algorithm>
#include <cmath>

#include "dpfermi/core/text.h"
#include "dpfermi/optimize/deep_problem.h"
#include "dpfermi/optimize/dp_fermi.h"
#include "dpfermi/privacy/mechanism/contribution.h"
#include "dpfermi/random/rounded_gaussian.h"

namespace dpfermi {
namespace {

Status check_network(const Dataset& data, const TrainingPlan& plan, const TrainingHooks& hooks) {
  if (plan.network == 0) return {};
  DeepNetwork* network = hooks.network;
  if (network == nullptr || network->parameters() != plan.network) {
    return usage_error("the plan is for a network of " + with_thousands(plan.network) +
                       " parameters; bring that one");
  }
  DPFERMI_TRY(DeepProblem::check(data, *network));
  return network->set_parameters(network->start());
}

}  // namespace

Status check_mechanism(const TrainingPlan& plan) {
  if (plan.method != Method::kDpFermi || plan.noise_multiplier == 0) return {};
  const int bits = ContributionLayout::finest_lattice(plan.noise_multiplier);
  const Segment theta{plan.parameter_count(), plan.clip_norm, 1};
  DPFERMI_ASSIGN(const ContributionLayout layout, ContributionLayout::create({theta}, bits));
  return RoundedGaussian::create(std::ldexp(plan.noise_multiplier, layout.lattice_bits()))
      .map([](const RoundedGaussian&) {});
}

Status check_run(const Dataset& data, const TrainingPlan& plan, const TrainingHooks& hooks) {
  DPFERMI_TRY(check_mechanism(plan));
  if (!hooks.start.empty() && plan.network == 0 && hooks.start.size() != plan.parameter_count()) {
    return usage_error("the starting values do not fit the model; leave them out");
  }
  if (hooks.resume != nullptr && hooks.resume->state.theta.size() != plan.parameter_count()) {
    return usage_error("the checkpoint is of another model; resume the run that wrote it");
  }
  return check_network(data, plan, hooks);
}

}  // namespace dpfermi
