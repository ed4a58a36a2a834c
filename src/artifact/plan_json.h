#pragma once

/// Training plans as JSON, for checkpoints and for people who ask what was run.

#include <string>
#include <string_view>

#include "dpfermi/core/result.h"
#include "optimize/training_plan.h"

namespace dpfermi {

/// A JSON text that parse_plan reads back exactly; a plan with a sketch, which has no checkpoints,
/// is for people alone. Unknown keys are refused.
std::string to_json(const TrainingPlan& plan);
Result<TrainingPlan> parse_plan(const std::string& json);

/// "ascent" or "best-response"; "last", "average" or "random".
std::string_view name_of(DualRule rule);
std::string_view name_of(IterateRule rule);
Result<DualRule> parse_dual_rule(std::string_view text);
Result<IterateRule> parse_iterate_rule(std::string_view text);

}  // namespace dpfermi
