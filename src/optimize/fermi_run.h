#pragma once

#include "dpfermi/data/unit_rows.h"
#include "dpfermi/objective/ermi_penalty.h"
#include "dpfermi/optimize/fermi_problem.h"
#include "dpfermi/optimize/training.h"

namespace dpfermi {

FairnessSetting fairness_setting(const TrainingPlan& plan);
FermiOptions fermi_options(const TrainingPlan& plan);
SolverOptions solver_options(const TrainingPlan& plan);

/// eta_theta for the problem's lambda, which may be steered while the run goes on.
StepSize fermi_rate(const TrainingPlan& plan, const FermiTerms& problem);

/// pi_c over units, where labels are public: a person counts with the mean over their rows.
std::vector<double> condition_shares(const Dataset& data, const UnitRows& rows,
                                     const FairnessSetting& setting);

/// p_{r|c} from counts by (condition, group), noisy or not: at least `floor` units each. `shares`
/// are empty where labels are secret; pi_c then comes from the counts as well.
GroupMarginals marginals_from(std::span<const double> counts, const FairnessSetting& setting,
                              std::vector<double> shares, double floor);

/// Marks the groups whose noisy count is large enough to tell that they are there.
void mark_known(const TrainingPlan& plan, GroupMarginals& marginals);

/// Batches of the public part, from step `first` on.
Result<PublicBatches> public_batches(const TrainingPlan& plan, const Dataset& data,
                                     NoiseSource& noise, std::uint64_t first);

/// Steers lambda towards the plan's target, if it has one, by what was released: log lambda moves
/// with the distance from the target, fast enough to cross a factor of 1000 in half a run.
class LambdaController {
 public:
  explicit LambdaController(const TrainingPlan& plan)
      : target_(plan.max_violation), gain_(14.0 / static_cast<double>(plan.steps)) {}

  void steer(FermiTerms& problem) const;

 private:
  std::optional<double> target_;
  double gain_;
};

}  // namespace dpfermi
