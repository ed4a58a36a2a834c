#pragma once

/// Baselines: methods without a plan of ours, behind one interface. Each has a descriptor
/// (optimize/method.h) in its file and a line in src/methods/method_list.inc.

#include <cstddef>
#include <optional>
#include <vector>

#include "data/dataset.h"
#include "dpfermi/core/result.h"
#include "dpfermi/optimize/method.h"
#include "model/decision_rule.h"
#include "optimize/training.h"

namespace dpfermi {

struct BaselineOptions {
  FairnessNotion notion = FairnessNotion::kDemographicParity;
  std::size_t favourable = 1;
  Adjacency adjacency = Adjacency::kSensitive;  ///< one of those of the baseline, if it has any
  double epsilon = 1;
  std::optional<double> delta;      ///< 1/n^2; of no use to pure epsilon
  double lambda = 1;                ///< of Knob::kWeight
  double tolerance = 0.01;          ///< of Knob::kTolerance
  std::vector<std::size_t> hidden;  ///< widths of hidden layers; none: regression
  /// The largest norm of [x, 1] that declared bounds allow. 0: features were fitted on the data,
  /// which is treated as public; where they are not, the statement says so.
  double declared_norm = 0;
};

struct BaselineResult {
  ModelSpec model;  ///< of one member
  DecisionRule rule;
  /// theta: the members' parameters, one after another. The statement is complete but for the names
  /// that only a table knows.
  TrainingResult training;
};

/// What a request means to a baseline. Refuses what has no meaning for it: a lambda or a largest
/// violation where its knob is another, and the solver's own settings.
Result<BaselineOptions> baseline_options(const MethodDescriptor& baseline,
                                         const TrainingRequest& request, std::size_t favourable);

/// Refuses, before anything is read, what the baseline does not do: notion, adjacency, classes,
/// groups, hidden layers, numbers out of range.
Status check_baseline(const MethodDescriptor& baseline, const BaselineOptions& options,
                      const Dataset& data);

/// Checks, then trains. What is not private is charged as a release without noise, so that a ledger
/// with a limit refuses it.
Result<BaselineResult> train_baseline(const MethodDescriptor& baseline, const Dataset& data,
                                      const BaselineOptions& options, StepLedger& ledger,
                                      NoiseSource noise, const TrainingHooks& hooks = {});

}  // namespace dpfermi
