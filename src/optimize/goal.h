#pragma once

/// How much fairness was asked for: a weight, or a violation to stay below.

#include "dpfermi/optimize/training.h"

namespace dpfermi {

/// Refuses a lambda or a target that makes no sense.
Status check_goal(const TrainingRequest& request);

/// Sets lambda and the target of a plan whose notion is set.
void set_goal(const TrainingRequest& request, TrainingPlan& plan);

}  // namespace dpfermi
