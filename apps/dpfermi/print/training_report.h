#pragma once

/// What came of a training run, for people and as JSON.

#include <string>

#include "cli.h"
#include "print/target.h"

namespace dpfermi::cli {

/// How much people are told: what they need to know next, or all that is known.
enum class Detail { kShort, kFull };

/// At most twenty lines: what was made, its error, its violation and whether the target was met,
/// what is guaranteed, where it was recorded, what to do next. Exact figures of groups, a table,
/// on request.
std::string to_summary(const TrainingOutcome& outcome, Figures figures);

/// What was released and, where features and labels are public, errors; exact violations and rates
/// of groups on request.
std::string to_text(const TrainingOutcome& outcome, Figures figures);

/// {"exact_not_private", "train", "test", "released", "privacy", "plan", "seconds", "model"}
std::string to_json(const TrainingOutcome& outcome, Figures figures);

/// Prints one of the three.
void print_outcome(const Context& context, const TrainingOutcome& outcome, Figures figures,
                   Detail detail);

}  // namespace dpfermi::cli
