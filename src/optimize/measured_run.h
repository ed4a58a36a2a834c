#pragma once

/// The end of a private run where inputs and labels are public: models are measured by queries, and
/// the best point that is known is returned (optimize/model_choice.h). Everything that decides was
/// released and charged, or is public.

#include <memory>
#include <string>

#include "optimize/model_choice.h"
#include "optimize/training.h"
#include "sketch/residual.h"

namespace dpfermi {

/// Puts measured rates of a model's decisions into its result, with the interval of its violation
/// and, where there is a target, whether it is met.
void adopt_rates(const FairnessSetting& setting, const NoisyRates& rates,
                 std::optional<double> target, TrainingResult& result);

/// Noisy counts of units by condition and group (m x k), of earlier releases of the run.
struct ReleasedCounts {
  std::vector<double> counts;
  double deviation = 0;
  std::vector<bool> known;
};

/// The models that a run chooses among, each given by its parameters.
class ModelFamily {
 public:
  ModelFamily() = default;
  virtual ~ModelFamily() = default;
  ModelFamily(const ModelFamily&) = delete;
  ModelFamily& operator=(const ModelFamily&) = delete;

  /// The decision about every training row.
  virtual std::vector<std::uint16_t> decide(std::span<const double> parameters) const = 0;
  /// What decisions about the training rows cost, on the mean.
  virtual double cost(std::span<const std::uint16_t> decisions) const = 0;
  /// The parameters of the model that always decides for `label`.
  virtual std::vector<double> constant(std::size_t label) const = 0;
  /// Makes these members, one after another, with these weights the model of a result.
  virtual void adopt(std::vector<double> members, std::vector<double> weights,
                     TrainingResult& result) const = 0;
  /// The decision of that model about every training row.
  virtual std::vector<std::uint16_t> decide(const TrainingResult& result) const = 0;
};

/// Models and what is known about their rates. The first to be added is the one without fairness.
class Candidates {
 public:
  /// `family`: null for networks of the plan's shape, whose cost is the share of errors.
  Candidates(const Dataset& data, const TrainingPlan& plan,
             std::shared_ptr<const ModelFamily> family);

  /// `name` is for people; empty: the model that was trained.
  void add(MeasuredModel model, std::string name = {});

  /// Makes the best point that is known, the constant and mixtures included, the model of `result`.
  void choose(TrainingResult& result);

  const FairnessSetting& setting() const { return setting_; }
  const ModelFamily& family() const { return *family_; }
  const std::vector<MeasuredModel>& models() const { return models_; }

 private:
  void add_constant();
  std::string describe(const ModelChoice& choice) const;

  const Dataset* data_;
  const TrainingPlan* plan_;
  FairnessSetting setting_;
  std::shared_ptr<const ModelFamily> family_;
  std::vector<MeasuredModel> models_;
  std::vector<std::string> names_;
};

/// The models of a run and what queries say about them. The first to be measured is the one without
/// fairness (theta_0), the second the trained one (theta_1).
class MeasuredModels {
 public:
  /// `family` as of Candidates.
  MeasuredModels(const Dataset& data, const TrainingPlan& plan, ReleasedCounts counts,
                 ResidualQueries queries, std::shared_ptr<const ModelFamily> family = nullptr);

  /// Queries a model, keeps it and returns the answer.
  Result<DenseStatistic> measure(std::vector<double> theta, double lambda, std::string name = {});
  /// The rates of the model that was measured last.
  const NoisyRates& latest() const { return candidates_.models().back().rates; }

  /// What to train for, so that noise leaves a model at the target within it.
  double aim() const;
  /// noise_margins() of the model without fairness, by condition, group and class (m x k x l).
  std::vector<double> margins() const;

  /// Measures models on the line theta_0 + alpha (theta_1 - theta_0), where the answers so far put
  /// the target of the plan, until `left` queries are left.
  Status search(std::uint64_t left);

  /// Makes the best point that is known the model of `result`. The last query, which must be left,
  /// is about its decisions: rates, interval and, where the plan has a target, the verdict are by
  /// that answer alone, whose noise the choice did not see.
  Status return_best(TrainingResult& result);

  std::uint64_t remaining() const { return queries_.remaining(); }

 private:
  NoisyRates rates_by(const DenseStatistic& answer) const;

  const Dataset* data_;
  const TrainingPlan* plan_;
  Candidates candidates_;
  ReleasedCounts counts_;
  ResidualQueries queries_;
};

}  // namespace dpfermi
