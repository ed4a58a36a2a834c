#pragma once

/// What a run of dp_fermi does before its first step.

#include <cstdint>
#include <optional>
#include <vector>

#include "objective/ermi_penalty.h"
#include "optimize/training.h"

namespace dpfermi {

/// What was charged and released before the first step.
struct FermiOpening {
  JointPlan releases;
  std::uint64_t charge = 0;
  GroupMarginals marginals;
  std::vector<std::uint16_t> merged;  ///< as in TrainingResult
  std::optional<Dataset> regrouped;   ///< the data, where small groups were merged
};

/// Lines 0 and 1 of the algorithm, or what the checkpoint knows of them.
Result<FermiOpening> open_fermi(const Dataset& data, const TrainingPlan& plan, StepLedger& ledger,
                                NoiseSource& noise, const TrainingHooks& hooks);

PrivacyStatement private_statement(const TrainingPlan& plan, const JointPlan& releases);

/// theta_0 where decisions are queried: the minimum of the loss, which is public. Nothing has been
/// charged yet, so that stopping here costs nothing.
Result<std::vector<double>> model_without_fairness(const Dataset& data, const TrainingPlan& plan,
                                                   NoiseSource& noise, const TrainingHooks& hooks);

}  // namespace dpfermi
