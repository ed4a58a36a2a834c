#pragma once

/// What a run comes to, with all its parts; the front door hands out handles of them
/// (dpfermi/dpfermi.h).

#include <optional>
#include <string>
#include <vector>

#include "artifact/sketch_file.h"
#include "artifact/trained_model.h"
#include "dpfermi/evaluate/metrics.h"
#include "dpfermi/objective/violation_interval.h"
#include "dpfermi/workflow/outcome.h"
#include "optimize/training_plan.h"

namespace dpfermi {

struct TrainingOutcome {
  TrainedModel model;
  std::optional<TrainingPlan> plan;  ///< empty for baselines
  /// Exact, not private: for the holder of the data. Without rows: could not be measured.
  Metrics train;
  std::optional<Metrics> test;  ///< the same
  double train_seconds = 0;
  double total_seconds = 0;
  std::string out;  ///< the model file; empty: none was written
  ChargeRecord charge;
  std::vector<bool> known_groups;              ///< large enough, by condition
  std::vector<std::uint16_t> merged;           ///< the group that each is counted as; empty: itself
  std::optional<ViolationInterval> violation;  ///< by residual queries
  std::optional<double> released_violation;    ///< of released rates, where lambda was steered
  /// Exact, not private: the violation on the training rows among the groups that the run compares
  /// (evaluate/compared_violation.h), merged ones as one; where a target was set.
  std::optional<double> compared;
  std::optional<ConstantModel> constant;  ///< its error is exact, as are those of `train`
};

struct SketchOutcome {
  StoredSketch sketch;
  ChargeRecord charge;
};

}  // namespace dpfermi
