#pragma once

/// What the released sums of a run's last steps say about the decisions of its model: for runs that
/// watch them and ask no queries afterwards.

#include <vector>

#include "optimize/fairness_state.h"
#include "optimize/training.h"

namespace dpfermi {

/// P(yhat = j | r, c), where decisions were watched: cut to [0, 1], then made to sum to one.
std::vector<double> decision_rates(const TrainingPlan& plan, const FairnessState& fairness);

/// Without a query: by the decisions of the last steps, whose iterates are close to the model.
TargetVerdict judge_steps(const TrainingPlan& plan, const FairnessState& fairness);

/// Where records are protected so are errors, but rates of decisions given the label, which odds
/// compare, and the counts of labels tell them, with noise. A model that they put above the best
/// constant by more than a standard deviation is not returned; the constant is, which is fair.
void prefer_constant(const TrainingPlan& plan, const FairnessState& fairness,
                     TrainingResult& result);

}  // namespace dpfermi
