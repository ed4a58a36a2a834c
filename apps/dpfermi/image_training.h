#pragma once

/// What a run on images does besides that on their table of features.

#include <functional>
#include <optional>
#include <vector>

#include "dpfermi/artifact/sketch_file.h"
#include "training_job.h"

namespace dpfermi::cli {

/// theta_0: the network's own last layer, where the model is one; nothing otherwise.
Result<std::vector<double>> start_of(const TrainingJob& job, const PreparedData& data,
                                     const TrainingPlan& plan);

/// Makes the job, the plan and the result those of the softmax of the images' network, and `data`
/// what a model file needs of its table, which need not be there: its ranges are declared.
Status adopt_images(EmbeddedImages images, TrainingJob& job, PreparedData& data, TrainingPlan& plan,
                    TrainingResult& result);

/// Follows a sketch with the whole network, trained by loss + lambda psi under every proxy that
/// comes, each time from where it was. Nothing protected is read here. Before it starts, the last
/// layer that the sketch gave is written as the model, so that what was paid for is there.
class NetworkFollower {
 public:
  /// All of it has to outlive this. `sketch`: the file that is trained from, or null.
  NetworkFollower(const Context& context, const TrainingJob& job, const PreparedData& data,
                  const TrainingPlan& plan, const StoredSketch* sketch)
      : context_(&context), job_(&job), data_(&data), plan_(&plan), sketch_(sketch) {}

  /// For TrainingHooks::follow.
  std::function<Result<std::vector<std::uint16_t>>(const TrainingResult&)> hook();

  /// Whether a sketch was there to be followed, and the last layer that it gave is written.
  bool was_asked() const { return asked_; }
  bool has_model() const { return tuned_.has_value(); }

  /// The images under the network as it is now. Requires has_model().
  EmbeddedImages take() { return *std::move(tuned_); }

 private:
  Result<std::vector<std::uint16_t>> follow(const TrainingResult& so_far);

  const Context* context_;
  const TrainingJob* job_;
  const PreparedData* data_;
  const TrainingPlan* plan_;
  const StoredSketch* sketch_;
  bool asked_ = false;
  std::optional<EmbeddedImages> tuned_;
};

/// The data under the network that was adopted, to measure the model on. Where this fails, the
/// error says that the model is there.
Result<PreparedData> described_data(const Context& context, TrainingJob& job);

}  // namespace dpfermi::cli
