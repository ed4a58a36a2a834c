#pragma once

/// What comes out of the front door (dpfermi/dpfermi.h).

#include <optional>
#include <string>
#include <vector>

#include "dpfermi/artifact/checkpoint_file.h"
#include "dpfermi/artifact/sketch_file.h"
#include "dpfermi/artifact/trained_model.h"
#include "dpfermi/evaluate/metrics.h"
#include "dpfermi/evaluate/private_metrics.h"
#include "dpfermi/optimize/training.h"

namespace dpfermi {

/// Where the charge of a run is written down.
struct ChargeRecord {
  bool research = false;             ///< nowhere, as was asked
  std::string ledger;                ///< the file; empty: nothing was charged
  std::optional<LedgerPlace> place;  ///< of the run in it
};

/// What a model must beat: always to predict the class that is commonest in training.
struct ConstantModel {
  std::size_t label = 0;
  double error = 0;  ///< on the test rows, or the training rows where there are none
};

struct TrainingOutcome {
  TrainedModel model;
  std::optional<TrainingPlan> plan;  ///< empty for baselines
  /// Exact, not private: for the holder of the data. Without rows: could not be measured, as the
  /// observer was told.
  Metrics train;
  std::optional<Metrics> test;  ///< the same
  double train_seconds = 0;
  double total_seconds = 0;
  std::string out;  ///< the model file; empty: none was written
  ChargeRecord charge;
  std::vector<bool> known_groups;              ///< large enough, by condition
  std::optional<ViolationInterval> violation;  ///< by residual queries
  std::optional<ConstantModel> constant;       ///< where labels are public
};

/// What a model says about rows.
struct Predictions {
  /// Rows x classes; of the decisions, where the model draws them or decides by the group.
  std::vector<float> probabilities;
  std::vector<std::size_t> decisions;  ///< the class of each row: the likeliest, or drawn
};

struct SketchOutcome {
  StoredSketch sketch;
  ChargeRecord charge;
};

struct PrivateEvaluation {
  PrivateMetrics metrics;
  PrivacyStatement statement;
  ChargeRecord charge;
};

}  // namespace dpfermi
