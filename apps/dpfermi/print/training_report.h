#pragma once

/// What came of a training run, for people and as JSON.

#include <string>

#include "cli.h"
#include "workflow/dry_run.h"

namespace dpfermi::cli {

std::string to_text(const TrainingOutcome& outcome);

/// {"exact_not_private": true, "train", "test", "privacy", "plan", "seconds", "model"}
std::string to_json(const TrainingOutcome& outcome);

/// Fails unless the target of the run was met.
Status require_target(const TrainingOutcome& outcome);

/// The plan and the price of a run that was not made.
void print_dry_run(const Context& context, const DryRun& dry);

/// Prints the one or the other.
void print_outcome(const Context& context, const TrainingOutcome& outcome);

}  // namespace dpfermi::cli
