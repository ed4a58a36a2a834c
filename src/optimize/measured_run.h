#pragma once

/// The end of a private run where inputs and labels are public: models are measured by queries, and
/// the best point that is known is returned (optimize/model_choice.h). Everything that decides was
/// released and charged, or is public.

#include <string>

#include "optimize/model_choice.h"
#include "optimize/training.h"
#include "sketch/residual.h"

namespace dpfermi {

/// The parameters that minimise the loss, from `start` on, or `start` itself where inputs are not
/// finite and there is no minimum; s is not read.
std::vector<double> minimise_loss(const Dataset& data, const ModelSpec& model,
                                  const std::vector<double>& start, Workers* workers);

/// Noisy counts of units by condition and group (m x k), of earlier releases of the run.
struct ReleasedCounts {
  std::vector<double> counts;
  double deviation = 0;
  std::vector<bool> known;
};

/// The models of a run and what queries say about them. The first to be measured is the one without
/// fairness (theta_0), the second the trained one (theta_1).
class MeasuredModels {
 public:
  MeasuredModels(const Dataset& data, const TrainingPlan& plan, ReleasedCounts counts,
                 ResidualQueries queries);

  /// Queries a model, keeps it and returns the answer.
  Result<DenseStatistic> measure(std::vector<double> theta, double lambda);

  /// What to train for, so that noise leaves a model at the target within it.
  double aim() const;

  /// Measures models on the line theta_0 + alpha (theta_1 - theta_0), where the answers so far put
  /// the target of the plan, until `left` queries are left.
  Status search(std::uint64_t left);

  /// Makes the best point that is known the model of `result`, with its rates and an interval of
  /// its violation, by one more query of its decisions if one is left; where the plan has a target,
  /// says whether it is met.
  Status return_best(TrainingResult& result);

  std::uint64_t remaining() const { return queries_.remaining(); }

 private:
  Result<NoisyRates> rates_of(std::span<const std::uint16_t> decisions);
  void add_constant();
  NoisyRates expected_rates(const ModelChoice& choice) const;
  std::string describe(const ModelChoice& choice) const;
  std::string name(std::size_t model) const;

  const Dataset* data_;
  const TrainingPlan* plan_;
  FairnessSetting setting_;
  Network network_;
  ReleasedCounts counts_;
  ResidualQueries queries_;
  std::vector<MeasuredModel> models_;
  std::vector<double> alphas_;  ///< of the models on the line, from the first on
};

}  // namespace dpfermi
