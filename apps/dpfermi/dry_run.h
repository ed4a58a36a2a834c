#pragma once

/// `train --dry-run`.

#include <optional>
#include <string>
#include <vector>

#include "training_job.h"

namespace dpfermi::cli {

/// A run that was planned and priced, and neither charged nor made.
struct DryRun {
  TrainingPlan plan;
  std::string units;                    ///< "records" or "persons"
  bool domain_declared = true;          ///< else the list of groups was read, as a public one
  bool charged = false;                 ///< whether anything would be
  std::optional<BudgetState> budget;    ///< that would pay, where the ledger knows it
  std::vector<StatedRelease> releases;  ///< what would be released
};

Result<DryRun> plan_run(const Context& context, TrainingJob job);

}  // namespace dpfermi::cli
