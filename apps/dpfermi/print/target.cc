#include "print/target.h"

#include <fmt/format.h>

#include "artifact/model_card.h"
#include "dpfermi/privacy/protected.h"

namespace dpfermi::cli {
namespace {

/// Whether the run compares other groups than those of the table.
bool compares_fewer(const TrainingOutcome& outcome) {
  const TrainingRecord& record = outcome.model.training;
  return !record.merged.empty() || !record.hidden.empty();
}

}  // namespace

std::optional<Target> target_of(const TrainingOutcome& outcome, Figures figures) {
  const TrainingRecord& record = outcome.model.training;
  if (!record.max_violation) return std::nullopt;
  Target target{*record.max_violation, {}, "no released figure decides it"};
  const bool exact = figures == Figures::kExact;
  if (exact && outcome.train.fairness) {
    target.reached = outcome.train.fairness->violation[record.fairness];
    if (compares_fewer(outcome)) target.counting = outcome.compared;
  }
  if (record.target) {
    target.met = record.target->met;
    target.reason = record.target->reason;
  } else if (outcome.compared && holds_exact_release(outcome.model.privacy)) {
    target.met = *outcome.compared <= target.asked;
    target.reason = exact ? fmt::format("the violation is {:.4f} ({})", *outcome.compared,
                                        ExactForHolder::kLabel)
                          : "by exact figures, which --exact shows";
  } else if (outcome.released_violation) {
    target.reason = fmt::format(
        "the released rates differ by {:.4f}; how far noise moved them is "
        "not known",
        *outcome.released_violation);
  }
  return target;
}

Status require_target(const TrainingOutcome& outcome) {
  const std::optional<Target> target = target_of(outcome, Figures::kPublic);
  if (!target) return usage_error("--require-target needs a target; give --max-violation");
  if (target->met.value_or(false)) return {};
  return failed(fmt::format("the target: {} ({}); the model was written all the same",
                            verdict_word(target->met), target->reason));
}

}  // namespace dpfermi::cli
