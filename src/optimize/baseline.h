#pragma once

/// Baselines: methods that train by themselves, without our solver, behind one interface. Each has
/// a descriptor (optimize/method.h) in a file of src/baselines and a line in
/// src/methods/method_list.inc.

#include <cstddef>

#include "data/dataset.h"
#include "dpfermi/core/result.h"
#include "dpfermi/optimize/method.h"
#include "optimize/training.h"

namespace dpfermi {

/// What a request means to a baseline. Refuses what has no meaning for it: a lambda or a largest
/// violation where its knob is another, and the solver's own settings.
Result<BaselineOptions> baseline_options(const MethodDescriptor& baseline,
                                         const TrainingRequest& request, std::size_t favourable);

/// Refuses, before anything is read, what the baseline does not do: notion, adjacency, classes,
/// groups, hidden layers, numbers out of range.
Status check_baseline(const MethodDescriptor& baseline, const BaselineOptions& options,
                      const Dataset& data);

/// The plan of a baseline, which holds its options.
Result<TrainingPlan> plan_baseline(const TrainingRequest& request, const Dataset& data,
                                   std::size_t favourable);

/// A softmax regression or network trained on the loss alone, which reads x and y only: baselines
/// build on it.
Result<TrainingResult> train_plain(const Dataset& data, const BaselineOptions& options,
                                   NoiseSource noise, const TrainingHooks& hooks);

/// Checks, then trains. What is not private is charged as a release without noise, so that a ledger
/// with a limit refuses it.
Result<TrainingResult> train_baseline(const MethodDescriptor& baseline, const Dataset& data,
                                      const BaselineOptions& options, StepLedger& ledger,
                                      NoiseSource noise, const TrainingHooks& hooks = {});

}  // namespace dpfermi
