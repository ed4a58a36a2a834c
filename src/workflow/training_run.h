#pragma once

/// One training run: load, plan, charge, train, build the model, write it, commit, measure. The
/// tool and the public front door (dpfermi/dpfermi.h) run it.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/team.h"
#include "dpfermi/core/observer.h"
#include "model/deep_network.h"
#include "vision/embedded_images.h"
#include "workflow/load.h"
#include "workflow/run_outcome.h"
#include "workflow/sketch_features.h"
#include "workflow/spending.h"

namespace dpfermi {

struct CheckpointChoice {
  std::string file;         ///< where to write them; empty: nowhere
  std::uint64_t every = 0;  ///< steps between them
  std::optional<std::uint64_t> spare_steps;
  std::string resume;  ///< the one to go on from; empty: a new run
};

/// What is to be made of images. Nothing in it is used where the table has no images.
struct ImageChoice {
  std::string images;  ///< folder or zip file; empty: the data set's own
  std::string column;  ///< of their names; empty: the data set's own
  std::string work;    ///< folder of what is made; empty: beside the model
  vision::NetworkShape shape;
  vision::NetworkSchedule schedule;
  std::optional<std::size_t> components, pictures;  ///< nothing: as the method needs them
  std::uint32_t tuning_epochs = 12;
  double tuning_rate = 3e-4;
  bool whole_network = false;  ///< all parameters are trained privately, not the last layer alone
  /// The fields above that were given and are about a public network.
  std::vector<std::string> of_public_network;
};

struct TrainingJob {
  TableChoice choice;
  SplitChoice split;
  TrainingRequest request;
  std::optional<std::uint64_t> seed;  ///< reproducible noise; nothing: secret
  unsigned threads = 1;
  SpendingChoice spending;
  CheckpointChoice checkpoint;
  std::string sketch;  ///< a sketch file to train from, without s; empty: none
  const StoredSketch* stored_sketch = nullptr;  ///< the same, where it was read before
  SketchFeatureChoice features;
  std::string repaired_model;  ///< the model file to repair; empty: scores of the table, or its own
  std::optional<ImageChoice> image_choice;       ///< the table names images
  std::optional<vision::EmbeddedImages> images;  ///< what `choice` is the table of features of
  std::shared_ptr<DeepNetwork> network;          ///< whose parameters are all trained
  std::string out;                               ///< the model file; empty: none is written
  /// The processes that run this job together. The leader alone writes and measures the model.
  Team* team = &Team::alone();

  bool trains_from_sketch() const { return !sketch.empty() || stored_sketch != nullptr; }
  bool trains_whole_network() const { return image_choice && image_choice->whole_network; }
};

/// The files that a run reads; it may not write to them.
std::vector<std::string> inputs_of(const TrainingJob& job);

/// What noise will hide of groups, for people: before anything is paid for, from public quantities.
/// Empty where the plan measures no decisions. `units`: "records" or "persons".
std::string outlook(const TrainingPlan& plan, std::string_view units);

/// Says which class was taken for the favourable one if none was named.
void note_assumptions(Observer& observer, const Table& table);

/// Whether the columns that the request needs were named; a sketch stands for the protected ones.
Status check_columns(const Schema& schema, const TrainingRequest& request,
                     bool from_sketch = false);

/// Progress of `task`, which must outlive the hooks, and whether the observer wants the run to end.
TrainingHooks observed_hooks(Observer& observer, ObservedTask& task, unsigned threads);

/// The request with what follows from the table.
TrainingRequest request_for(TrainingRequest request, const PreparedData& data);

/// Puts a method in the place of `auto`, by the rule of optimize/choose_method.h. Returns which and
/// why, for people; nothing where a method was named.
Result<std::string> settle_method(TrainingJob& job, const PreparedData& data);

/// What the request alone decides, before anything is read.
Status check_request(const TrainingJob& job);

/// Whatever is wrong with the job and can be told before images are looked at.
Status check_job(const TrainingJob& job);

/// Every number of the run, from public quantities.
Result<TrainingPlan> plan_job(const TrainingJob& job, const PreparedData& data);

/// Whatever can fail for public causes does so before the charge. Then: charge, read, train, write
/// the model, commit, measure.
Result<TrainingOutcome> run_training(Observer& observer, TrainingJob job);

/// The same on a table that is loaded already, which has to outlive the call.
Result<TrainingOutcome> run_training(Observer& observer, TrainingJob job, const PreparedData& data);

}  // namespace dpfermi
