#pragma once

/// What came of a training run, for people and as JSON.

#include <string>

#include "cli.h"
#include "workflow/dry_run.h"

namespace dpfermi::cli {

/// Whether what reads protected data without noise is shown too: for the holder of the data.
enum class Figures { kPublic, kExact };

/// What was released and, where features and labels are public, errors; exact violations and rates
/// of groups on request.
std::string to_text(const TrainingOutcome& outcome, Figures figures);

/// {"exact_not_private", "train", "test", "released", "privacy", "plan", "seconds", "model"}
std::string to_json(const TrainingOutcome& outcome, Figures figures);

/// Fails unless the target of the run was met.
Status require_target(const TrainingOutcome& outcome);

/// The plan and the price of a run that was not made.
void print_dry_run(const Context& context, const DryRun& dry);

/// Prints the one or the other.
void print_outcome(const Context& context, const TrainingOutcome& outcome, Figures figures);

}  // namespace dpfermi::cli
