#pragma once

/// What the methods that begin with a sketch have in common: its plan, its release, its counts.

#include <algorithm>

#include "optimize/measured_run.h"
#include "optimize/training.h"

namespace dpfermi {

/// Progress over stages whose lengths are bounded beforehand: a stage that ends early is passed
/// over.
class StageProgress {
 public:
  StageProgress(const TrainingHooks& hooks, std::uint64_t steps) : hooks_(&hooks), steps_(steps) {}

  void begin(std::uint64_t most_steps) {
    step_ = end_;
    end_ += most_steps;
  }

  /// After a step of the stage; false if the caller asked to stop.
  bool step(double lambda, std::span<const double> theta) {
    step_ = std::min(step_ + 1, end_);
    return goes_on(lambda, theta);
  }

  /// The same between steps.
  bool goes_on(double lambda, std::span<const double> theta) {
    if (hooks_->progress && !hooks_->progress({step_, steps_, lambda, theta})) stopped_ = true;
    return !stopped_;
  }

  bool stopped() const { return stopped_; }

 private:
  const TrainingHooks* hooks_;
  std::uint64_t steps_;
  std::uint64_t step_ = 0;
  std::uint64_t end_ = 0;  ///< of the stage
  bool stopped_ = false;
};

/// Queries with which models are measured and the best one is returned: one for the model without
/// fairness, one for a fair one, one for what is returned.
inline constexpr std::size_t kGuardedRounds = 3;

/// Completes a plan by that of the sketch and of the queries after it, as the request has them.
Status plan_release(const TrainingRequest& request, const Dataset& data, TrainingPlan& plan);

/// A sketch that was charged together with the queries of its plan.
struct PaidSketch {
  std::uint64_t charge;
  SketchFeatures features;
  GroupSums sums;
  PrivacyStatement statement;              ///< of everything
  std::vector<std::uint16_t> merged = {};  ///< as in TrainingResult
  std::optional<Dataset> regrouped = {};   ///< the data, where small groups were merged

  /// What queries are asked of, given the data that the sketch is of.
  const Dataset& grouped(const Dataset& data) const { return regrouped ? *regrouped : data; }
};

/// Charges what the plan releases, then makes the sketch.
Result<PaidSketch> release_planned(const Dataset& data, const TrainingPlan& plan,
                                   StepLedger& ledger, NoiseSource& noise);

/// The counts in a sketch.
ReleasedCounts released_counts(const FairnessSetting& setting, const SketchFeatures& features,
                               const GroupSums& sums);

/// A sketch may come from a file of anybody's making: sums of other vectors than `features` would
/// be read past their end, or taken for what they are not.
Status check_features(const Dataset& data, const Sketch& sketch, const SketchFeatures& features);

}  // namespace dpfermi
