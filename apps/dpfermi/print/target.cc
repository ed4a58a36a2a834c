#include "print/target.h"

#include <fmt/format.h>

#include <algorithm>

#include "artifact/model_card.h"
#include "dpfermi/privacy/protected.h"

namespace dpfermi::cli {
namespace {

/// The largest difference between groups of which `known` says that they count.
template <class Rate>
double spread(const std::vector<GroupMetrics>& groups, std::size_t first,
              const std::vector<bool>& known, Rate rate) {
  double least = 1;
  double most = 0;
  for (std::size_t r = 0; r < groups.size(); ++r) {
    if (!known[first + r] || groups[r].rate.empty()) continue;
    least = std::min(least, rate(groups[r]));
    most = std::max(most, rate(groups[r]));
  }
  return std::max(0.0, most - least);
}

/// The violation among the groups that count: those that are too small count as fair. Nothing where
/// all count, fewer than two do, small ones were merged, or the metrics do not tell.
std::optional<double> violation_of_known(const TrainingOutcome& outcome) {
  if (!outcome.model.training.merged.empty()) return std::nullopt;
  const std::vector<bool>& known = outcome.known_groups;
  const FairnessMetrics& fairness = *outcome.train.fairness;
  const std::size_t k = fairness.groups.size();
  if (std::ranges::find(known, false) == known.end()) return std::nullopt;
  if (std::ranges::count(known, true) < 2) return std::nullopt;
  const auto positives = [](const GroupMetrics& group) {
    return group.true_positive_rate.value_or(0);
  };
  const FairnessNotion notion = outcome.model.training.fairness;
  if (FairnessSetting{notion}.unconditional() && known.size() == k) {
    double largest = 0;
    for (std::size_t j = 0; j < outcome.model.classes.size(); ++j) {
      largest = std::max(largest, spread(fairness.groups, 0, known,
                                         [j](const GroupMetrics& group) { return group.rate[j]; }));
    }
    return largest;
  }
  if (notion == FairnessNotion::kEqualOpportunity && known.size() == k) {
    return spread(fairness.groups, 0, known, positives);
  }
  return std::nullopt;
}

}  // namespace

std::optional<Target> target_of(const TrainingOutcome& outcome, Figures figures) {
  const TrainingRecord& record = outcome.model.training;
  if (!record.max_violation) return std::nullopt;
  Target target{*record.max_violation, {}, "no released figure decides it"};
  if (figures == Figures::kExact && outcome.train.fairness) {
    target.reached = outcome.train.fairness->violation[record.fairness];
    target.counting = violation_of_known(outcome);
  }
  if (record.target) {
    target.met = record.target->met;
    target.reason = record.target->reason;
  } else if (target.reached && !is_private(outcome.model.privacy)) {
    target.met = *target.reached <= target.asked;
    target.reason =
        fmt::format("the violation is {:.4f} ({})", *target.reached, ExactForHolder::kLabel);
  } else if (outcome.released_violation) {
    target.reason = fmt::format(
        "the released rates differ by {:.4f}; how far noise moved them is "
        "not known",
        *outcome.released_violation);
  }
  return target;
}

Status require_target(const TrainingOutcome& outcome) {
  const std::optional<Target> target = target_of(outcome, Figures::kExact);
  if (!target) return usage_error("--require-target needs a target; give --max-violation");
  if (target->met.value_or(false)) return {};
  return failed(fmt::format("the target: {} ({}); the model was written all the same",
                            verdict_word(target->met), target->reason));
}

}  // namespace dpfermi::cli
