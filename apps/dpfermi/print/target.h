#pragma once

/// The violation that a run was asked for, and what became of it.

#include <optional>
#include <string>

#include "dpfermi/core/result.h"
#include "workflow/run_outcome.h"

namespace dpfermi::cli {

/// Whether what reads protected data without noise is shown too: for the holder of the data.
enum class Figures { kPublic, kExact };

struct Target {
  double asked;
  std::optional<bool> met;  ///< nothing: it cannot be told
  std::string reason;
  std::optional<double> reached = {};   ///< exact, where that may be shown
  std::optional<double> counting = {};  ///< the same as the run compares groups, where that differs
};

/// By released figures; exact ones decide, whatever is shown, where training read protected data
/// without noise. Nothing where no target was set.
std::optional<Target> target_of(const TrainingOutcome& outcome, Figures figures);

/// Fails unless the target of the run was met.
Status require_target(const TrainingOutcome& outcome);

}  // namespace dpfermi::cli
