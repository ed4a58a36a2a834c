#pragma once

/// One training run, from a table to a model file. `train` and `demo` run it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "cli.h"
#include "dpfermi/artifact/trained_model.h"
#include "dpfermi/baselines/baseline.h"
#include "dpfermi/evaluate/metrics.h"
#include "dpfermi/model/deep_network.h"
#include "dpfermi/optimize/training.h"
#include "image_table.h"
#include "prepared_data.h"
#include "progress.h"
#include "sketch_options.h"
#include "spending.h"

namespace dpfermi::cli {

struct CheckpointChoice {
  std::string file;         ///< where to write them; empty: nowhere
  std::uint64_t every = 0;  ///< steps between them
  std::optional<std::uint64_t> spare_steps;
  std::string resume;  ///< the one to go on from; empty: a new run
};

struct TrainingJob {
  TableChoice choice;
  SplitChoice split;
  TrainingRequest request;
  const Baseline* baseline = nullptr;  ///< what trains in place of request.method
  std::optional<std::uint64_t> seed;   ///< reproducible noise; nothing: secret
  unsigned threads = 1;
  SpendingChoice spending;
  CheckpointChoice checkpoint;
  std::string sketch;  ///< a sketch file to train from, without s; empty: none
  SketchOptions features;
  std::optional<EmbeddedImages> images;  ///< what `choice` is the table of features of
  bool whole_network = false;            ///< all parameters of its network are trained privately
  std::shared_ptr<DeepNetwork> network;  ///< which is then here
  std::string out;                       ///< the model file
};

/// What a model must beat: always to predict the class that is commonest in training.
struct ConstantModel {
  std::size_t label = 0;
  double error = 0;  ///< on the test rows, or the training rows where there are none
};

struct TrainingOutcome {
  TrainedModel model;
  std::optional<TrainingPlan> plan;  ///< nothing: a baseline, which has none of ours
  Metrics train;
  std::optional<Metrics> test;
  double train_seconds = 0;
  double total_seconds = 0;
  std::string out;
  bool research = false;
  std::string ledger;                          ///< its file, where a charge was recorded
  std::optional<LedgerPlace> place;            ///< of this run in it
  std::vector<bool> known_groups;              ///< large enough, by condition
  std::optional<ViolationInterval> violation;  ///< by residual queries
  std::optional<ConstantModel> constant;       ///< where labels are public
};

/// The files that a run reads; it may not write to them.
std::vector<std::string> inputs_of(const TrainingJob& job);

/// Fairness notions look at one class: a guess must look like one.
void note_assumptions(const Context& context, const Table& table);

/// Whether the columns that the request needs were named; a sketch stands for the protected ones.
Status check_columns(const Schema& schema, const TrainingRequest& request,
                     bool from_sketch = false);

/// What a run tells while it goes on: how far it is, and whether Ctrl-C ends it. `progress` must
/// outlive the hooks.
TrainingHooks watched_hooks(Progress& progress, unsigned threads);

/// The request with what follows from the table.
TrainingRequest request_for(TrainingRequest request, const PreparedData& data);

/// What flags alone decide, before anything is read.
Status check_request(const TrainingJob& job);

/// Whatever is wrong with the job and can be told before images are looked at.
Status check_flags(const TrainingJob& job);

/// Every number of the run, from public quantities.
Result<TrainingPlan> plan_job(const TrainingJob& job, const PreparedData& data);

/// Whatever can fail for public causes does so before the charge. Then: charge, read, train, write
/// the model, commit, measure.
Result<TrainingOutcome> run_training(const Context& context, TrainingJob job);

}  // namespace dpfermi::cli
