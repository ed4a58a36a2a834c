#pragma once

/// What a run on images does besides that on their table of features.

#include <functional>
#include <optional>
#include <vector>

#include "artifact/sketch_file.h"
#include "workflow/dry_run.h"
#include "workflow/training_run.h"

namespace dpfermi {

/// Where the job has an image choice: gathers the images, makes their table of features and makes
/// the job one on that table. Whatever would be refused once the network is trained is refused
/// before.
Status embed_images(Observer& observer, TrainingJob& job);

/// The same for a dry run, which trains nothing: where the table is not there yet, the run is
/// planned without it and returned.
Result<std::optional<DryRun>> embed_images_for_plan(Observer& observer, TrainingJob& job);

/// What the job alone decides: training of all parameters is for dp-fermi, fermi and erm.
Status check_whole_network(const TrainingJob& job);

/// Puts the network that training starts from beside its images, and adds what the rules of a plan
/// want to know of it to the job's request. Reads nothing protected.
Status open_network(Observer& observer, TrainingJob& job);

/// After such a run: adopts the softmax of the network that was trained.
Status adopt_network(TrainingJob& job, PreparedData& data, TrainingPlan& plan,
                     TrainingResult& result);

/// theta_0: the network's own last layer, where the model is one; nothing otherwise.
Result<std::vector<double>> start_of(const TrainingJob& job, const PreparedData& data,
                                     const TrainingPlan& plan);

/// Makes the job, the plan and the result those of the softmax of the images' network, and `data`
/// what a model file needs of its table, which need not be there: its ranges are declared.
Status adopt_images(vision::EmbeddedImages images, TrainingJob& job, PreparedData& data,
                    TrainingPlan& plan, TrainingResult& result);

/// Follows a sketch with the whole network, trained by loss + lambda psi under every proxy that
/// comes, each time from where it was. Nothing protected is read here. Before it starts, the last
/// layer that the sketch gave is written as the model, so that what was paid for is there.
class NetworkFollower {
 public:
  /// All of it has to outlive this. `sketch`: the file that is trained from, or null.
  NetworkFollower(Observer& observer, const TrainingJob& job, const PreparedData& data,
                  const TrainingPlan& plan, const StoredSketch* sketch)
      : observer_(&observer), job_(&job), data_(&data), plan_(&plan), sketch_(sketch) {}

  /// For TrainingHooks::follow.
  std::function<Result<std::vector<std::uint16_t>>(const TrainingResult&)> hook();

  /// Whether a sketch was there to be followed, and the last layer that it gave is written.
  bool was_asked() const { return asked_; }
  bool has_model() const { return tuned_.has_value(); }

  /// The images under the network as it is now. Requires has_model().
  vision::EmbeddedImages take() { return *std::move(tuned_); }

 private:
  Result<std::vector<std::uint16_t>> follow(const TrainingResult& so_far);

  Observer* observer_;
  const TrainingJob* job_;
  const PreparedData* data_;
  const TrainingPlan* plan_;
  const StoredSketch* sketch_;
  bool asked_ = false;
  std::optional<vision::EmbeddedImages> tuned_;
};

/// The data under the network that was adopted, to measure the model on. Where this fails, the
/// error says that the model is there.
Result<PreparedData> described_data(Observer& observer, TrainingJob& job);

}  // namespace dpfermi
