#pragma once

/// What a run would do and cost.

#include <optional>
#include <string>
#include <vector>

#include "workflow/training_run.h"

namespace dpfermi {

/// A run that was planned and priced, and neither charged nor made.
struct DryRun {
  TrainingPlan plan;
  std::string units;                    ///< "records" or "persons"
  std::string outlook;                  ///< what noise will hide; empty: nothing is measured
  bool domain_declared = true;          ///< else the list of groups was read, as a public one
  bool charged = false;                 ///< whether anything would be
  std::optional<BudgetState> budget;    ///< that would pay, where the ledger knows it
  std::optional<Error> refusal;         ///< what the ledger would say
  std::vector<StatedRelease> releases;  ///< what would be released
  std::string to_train;                 ///< the public network that comes first; empty: none
};

/// Plans and prices the run of a job. Nothing is charged, and no network is trained.
Result<DryRun> plan_run(Observer& observer, TrainingJob job);

/// The same for images of which nothing was made yet. The price is that of the run; numbers that
/// follow from a network's own features or gradients are those of synthetic ones.
Result<DryRun> plan_run_before_network(Observer& observer, TrainingJob job);

/// Refuses a run on images that would be refused once its network is trained: a plan that cannot be
/// made, a budget that does not cover it.
Status check_before_network(const TrainingJob& job);

}  // namespace dpfermi
