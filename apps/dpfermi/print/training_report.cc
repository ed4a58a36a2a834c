#include "print/training_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "artifact/artifact_json.h"
#include "artifact/model_card.h"
#include "core/text.h"
#include "dpfermi/privacy/protected.h"
#include "evaluate/metrics_json.h"
#include "flags/field_names.h"
#include "optimize/training_defaults.h"
#include "print/charge_record.h"
#include "print/metrics_report.h"
#include "privacy/statement_json.h"
#include "workflow/outcome_json.h"

namespace dpfermi::cli {
namespace {

std::string goal_text(const TrainingOutcome& outcome) {
  const TrainingRecord& record = outcome.model.training;
  if (record.fairness == FairnessNotion::kNone) return record.method;
  if (record.method == to_string(Method::kRepair)) {
    return fmt::format("{} for {}, to a violation of {:g}", record.method,
                       to_string(record.fairness), record.max_violation.value_or(0));
  }
  return fmt::format(
      "{} for {}, lambda {:.4g}{}", record.method, to_string(record.fairness), record.lambda,
      record.max_violation ? fmt::format(" (steered to a violation of {:g})", *record.max_violation)
                           : "");
}

std::string effort_text(const TrainingOutcome& outcome) {
  const TrainingRecord& record = outcome.model.training;
  if (!outcome.plan) {
    return fmt::format("{} steps on {} rows", with_thousands(record.steps),
                       with_thousands(outcome.train.rows));
  }
  if (outcome.plan->method == Method::kRepair) {
    return fmt::format("{} rules for {} rows", with_thousands(record.steps),
                       with_thousands(outcome.train.rows));
  }
  if (outcome.plan->method == Method::kSketch || outcome.plan->at_once) {
    const std::uint64_t passes = record.steps * record.batch / outcome.train.rows;
    return fmt::format("{} passes over {} rows", with_thousands(passes),
                       with_thousands(outcome.train.rows));
  }
  return fmt::format("{} steps, batches of about {}", with_thousands(record.steps),
                     with_thousands(record.batch));
}

/// The violation that was asked for, and what became of it on the training data.
struct Target {
  double asked;
  std::optional<bool> met;  ///< nothing: it cannot be told
  std::string reason;
  std::optional<double> reached = {};   ///< exact, where that may be shown
  std::optional<double> counting = {};  ///< the same among the groups that are large enough
};

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

/// Groups, by condition, that noise hides; those that were merged into another are not among them.
std::size_t count_too_small(const TrainingOutcome& outcome) {
  std::size_t small = 0;
  for (std::size_t i = 0; i < outcome.known_groups.size(); ++i) {
    const std::size_t r = outcome.merged.empty() ? 0 : i % outcome.merged.size();
    const bool merged = !outcome.merged.empty() && outcome.merged[r] != r;
    if (!outcome.known_groups[i] && !merged) ++small;
  }
  return small;
}

/// The violation among the groups that count: those that are too small count as fair. Nothing where
/// all count, where small ones were merged, or where the metrics do not tell.
std::optional<double> violation_of_known(const TrainingOutcome& outcome) {
  if (!outcome.model.training.merged.empty()) return std::nullopt;
  const std::vector<bool>& known = outcome.known_groups;
  const FairnessMetrics& fairness = *outcome.train.fairness;
  const std::size_t k = fairness.groups.size();
  if (std::ranges::find(known, false) == known.end()) return std::nullopt;
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

/// By released figures; exact ones decide where the model promises nothing anyway.
std::optional<Target> target_of(const TrainingOutcome& outcome, Figures figures) {
  const TrainingRecord& record = outcome.model.training;
  if (!record.max_violation) return std::nullopt;
  Target target{*record.max_violation, {}, "no released figure tells"};
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

/// Whether errors follow from what is public: no record is protected, no decision depends on s.
bool errors_are_public(const TrainedModel& model) {
  return features_are_public(model.schema.adjacency) && !model.rule.needs_group();
}

/// A model that ignores its inputs may do as well, at no price.
std::string constant_text(const TrainingOutcome& outcome, Figures figures) {
  if (figures == Figures::kPublic && !errors_are_public(outcome.model)) return "";
  const double error = outcome.test ? outcome.test->error : outcome.train.error;
  if (!outcome.constant || error < outcome.constant->error) return "";
  return fmt::format(
      "\n{} always predicting '{}', whose error is {:.4f}: allow a larger violation or a larger "
      "epsilon, or bring more rows.\n",
      error > outcome.constant->error ? "Worse than" : "No better than",
      printable(outcome.model.classes[outcome.constant->label]), outcome.constant->error);
}

/// What may be shown of the errors, and what was released about groups.
std::string public_text(const TrainingOutcome& outcome) {
  std::string text;
  Metrics train = outcome.train;
  std::optional<Metrics> test = outcome.test;
  const bool fairness = train.fairness.has_value();
  if (errors_are_public(outcome.model)) {
    train.fairness.reset();
    std::vector<NamedMetrics> sets = {{"train", &train}};
    if (test) {
      test->fairness.reset();
      sets.push_back({"test", &*test});
    }
    text += metrics_text(sets, outcome.model.classes, outcome.model.favourable, {});
  }
  if (!outcome.model.released.empty()) {
    text += "\nReleased with noise, on the training data:\n" + describe_released(outcome.model);
  }
  if (fairness || !errors_are_public(outcome.model)) {
    text += fmt::format("\nNot shown: {} (--exact shows them to the holder of the data).\n",
                        errors_are_public(outcome.model)
                            ? "exact violations and rates of groups"
                            : "errors, exact violations and rates of groups");
  }
  return text;
}

std::string exact_text(const TrainingOutcome& outcome) {
  std::vector<NamedMetrics> sets = {{"train", &outcome.train}};
  if (outcome.test) sets.push_back({"test", &*outcome.test});
  const TrainedModel& model = outcome.model;
  return metrics_text(sets, model.classes, model.favourable, model.groups);
}

std::string target_text(const TrainingOutcome& outcome, Figures figures) {
  std::string text;
  if (!outcome.model.training.returned.empty()) {
    text += fmt::format("\nReturned: {}.\n", outcome.model.training.returned);
  }
  if (const std::optional<Target> target = target_of(outcome, figures)) {
    text += fmt::format("\nTarget {:g}: {}: {}.\n", target->asked, verdict_word(target->met),
                        target->reason);
    if (target->reached) {
      text += fmt::format(
          "Reached {:.4f} on the training data ({}){}.\n", *target->reached, ExactForHolder::kLabel,
          target->counting ? fmt::format(", {:.4f} among the groups that count", *target->counting)
          : outcome.model.training.merged.empty() ? ""
                                                  : ", every group on its own");
    }
  }
  if (outcome.violation) {
    const ViolationInterval& interval = *outcome.violation;
    text += fmt::format(
        "\nViolation on the training data, {}: {:.4f} to {:.4f}, {:g} % confidence{}.\n",
        interval.by_proxy ? "by the sketch" : "by a private query", interval.low, interval.high,
        100 * interval.confidence,
        interval.by_proxy ? ",\nif groups differ in the features as the sketch can "
                            "see (no interactions it lacks)"
                          : "");
  }
  if (outcome.model.training.merge_small > 0) {
    text += fmt::format("\nMerged: {}.\n", describe_merging(outcome.model));
  }
  if (const std::size_t unknown = count_too_small(outcome); unknown > 0) {
    text += fmt::format(
        "\n{} of {} groups (by label, where the notion has labels) are too small to be told from "
        "noise at this epsilon;\nthey count as fair.\n",
        unknown, outcome.known_groups.size());
  }
  return text;
}

Json released_to_json(const TrainedModel& model) {
  Json json = Json::array();
  for (const ReleasedFigure& figure : model.released) {
    Json entry = {{"name", figure.name}, {"value", figure.value}};
    if (figure.noise_stddev) entry["noise_stddev"] = *figure.noise_stddev;
    json.push_back(std::move(entry));
  }
  return json;
}

Json privacy_to_json(const TrainingOutcome& outcome) {
  Json json = json_of(outcome.model.privacy);
  Json recorded = json_of(outcome.charge);
  if (!recorded.is_null()) json["recorded"] = std::move(recorded);
  return json;
}

std::string_view what_was_read(const DryRun& dry) {
  if (!features_are_public(dry.plan.adjacency)) {
    return "records were read on this machine, nothing was released";
  }
  return dry.domain_declared ? "nothing protected was read"
                             : "of what is protected the list of groups was read";
}

/// What comes before the plan, and what of it is not known yet.
std::string first_text(const DryRun& dry) {
  if (dry.to_train.empty()) return "";
  return fmt::format("First: {} is to be trained; {}\n", dry.to_train,
                     dry.plan.network_parameters > 0
                         ? "clipping norm and step size will follow from its gradients"
                         : "where it has fewer channels than --components there are fewer inputs");
}

std::string budget_text(const BudgetState& budget, const char* fits) {
  const std::string name = printable(budget.name);
  if (!budget.cap) return fmt::format("Budget: '{}' has no limit\n", name);
  const auto left = [](const Amount& amount) {
    return shortest(amount.to_double(Rounding::kDown));
  };
  if (budget.cap->filter) {
    return fmt::format("Budget: '{}' has a Renyi divergence of {} left; the run {}\n", name,
                       left(budget.left_renyi().divergence), fits);
  }
  return fmt::format("Budget: '{}' has epsilon {}, delta {} left; the run {}\n", name,
                     left(budget.left_epsilon()), left(budget.left_delta()), fits);
}

/// What else can be said before anything is spent.
std::string outlook_text(const DryRun& dry) {
  std::string text;
  if (!dry.domain_declared) {
    text += "Treated as public: the list of groups; --sensitive-values declares it\n";
  }
  if (!dry.outlook.empty()) text += fmt::format("Beforehand: {}\n", dry.outlook);
  if (dry.budget) text += budget_text(*dry.budget, dry.refusal ? "does NOT fit" : "fits");
  if (dry.refusal) {
    text += fmt::format("The ledger would refuse it: {}\n", with_flags(dry.refusal->message));
  }
  return text;
}

}  // namespace

std::string to_text(const TrainingOutcome& outcome, Figures figures) {
  const TrainedModel& model = outcome.model;
  std::string text = fmt::format("{}; {}, {} inputs\n\n", goal_text(outcome), effort_text(outcome),
                                 model.spec.inputs);
  text += figures == Figures::kExact ? exact_text(outcome) : public_text(outcome);
  text += constant_text(outcome, figures) + target_text(outcome, figures);
  text += "\n" + describe(model.privacy) + recorded_text(outcome.charge);
  text += fmt::format("\ntrained in {:.2f} s, {:.2f} s in all\nmodel {}\n", outcome.train_seconds,
                      outcome.total_seconds, outcome.out);
  return text;
}

std::string to_json(const TrainingOutcome& outcome, Figures figures) {
  const bool exact = figures == Figures::kExact;
  Json json = {{"exact_not_private", exact}};
  const auto add = [&](const char* name, const Metrics& metrics) {
    if (exact) {
      json[name] = json_of(metrics, outcome.model.groups);
    } else if (errors_are_public(outcome.model)) {
      json[name] = {{"rows", metrics.rows}, {"error", metrics.error}};
    }
  };
  add("train", outcome.train);
  if (outcome.test) add("test", *outcome.test);
  json["released"] = released_to_json(outcome.model);
  json["privacy"] = privacy_to_json(outcome);
  if (outcome.plan) json["plan"] = json_of(*outcome.plan);
  json["lambda"] = outcome.model.training.lambda;
  if (const std::optional<Target> target =
          target_of(outcome, exact ? Figures::kExact : Figures::kPublic)) {
    json["target"] = {{"asked", target->asked},
                      {"met", target->met ? Json(*target->met) : Json(nullptr)},
                      {"verdict", verdict_word(target->met)},
                      {"reason", target->reason}};
    if (outcome.released_violation) json["target"]["released"] = *outcome.released_violation;
    if (target->reached) json["target"]["reached"] = *target->reached;
    if (target->counting) json["target"]["reached_by_known_groups"] = *target->counting;
  }
  const std::string& returned = outcome.model.training.returned;
  json["returned"] = returned.empty() ? Json(nullptr) : Json(returned);
  if (outcome.violation) {
    json["violation_interval"] = json_of(*outcome.violation);
  }
  if (outcome.constant && (exact || errors_are_public(outcome.model)))
    json["constant_error"] = outcome.constant->error;
  json["groups_too_small"] = count_too_small(outcome);
  if (outcome.model.training.merge_small > 0) {
    json["merged"] = {{"below", outcome.model.training.merge_small},
                      {"groups", outcome.model.training.merged}};
  }
  json["seconds"] = {{"train", outcome.train_seconds}, {"total", outcome.total_seconds}};
  json["model"] = printable(outcome.out, SIZE_MAX);
  return json_text(json) + "\n";
}

Status require_target(const TrainingOutcome& outcome) {
  const std::optional<Target> target = target_of(outcome, Figures::kExact);
  if (!target) return usage_error("--require-target needs a target; give --max-violation");
  if (target->met.value_or(false)) return {};
  return failed(fmt::format("the target: {} ({}); the model was written all the same",
                            verdict_word(target->met), target->reason));
}

void print_dry_run(const Context& context, const DryRun& dry) {
  const TrainingPlan& plan = dry.plan;
  if (context.json) {
    Json json = {{"dry_run", true}, {"plan", json_of(plan)}};
    json["domain_of_s"] = dry.domain_declared ? "declared" : "treated as public";
    if (!dry.to_train.empty()) json["first"] = dry.to_train;
    if (const auto seen = visibility(plan)) {
      json["visibility"] = {{"least_group", seen->least_group}, {"rate_noise", seen->rate_noise}};
    }
    if (dry.budget) json["budget"] = {{"name", dry.budget->name}, {"fits", !dry.refusal}};
    json["releases"] = Json::array();
    for (const StatedRelease& release : dry.releases) {
      json["releases"].push_back({{"purpose", release.purpose},
                                  {"count", release.count},
                                  {"event", json_of(release.event)}});
    }
    Context::print(json_text(json) + "\n");
    return;
  }
  Context::print(fmt::format(
      "Dry run: {} and nothing was charged.\n{}"
      "Plan: {}, {} steps on {} {}, batches of about {}, {}\n",
      what_was_read(dry), first_text(dry), to_string(plan.method), with_thousands(plan.steps),
      with_thousands(plan.units), dry.units, with_thousands(plan.batch),
      plan.network_parameters > 0
          ? fmt::format("{} parameters", with_thousands(plan.network_parameters))
          : fmt::format("{} inputs", plan.model.inputs)));
  if (!dry.charged) {
    Context::print("Price: nothing; protected data would not be read\n");
    return;
  }
  Context::print(plan.noise_multiplier > 0
                     ? fmt::format("Price: epsilon {:.6g}, delta {:.6g} under adjacency {}\n",
                                   plan.certified_epsilon, plan.delta, to_string(plan.adjacency))
                     : "Price: no finite epsilon; protected data would be read without noise\n");
  for (const StatedRelease& release : dry.releases) {
    Context::print(fmt::format("  {} x {}: {}\n", with_thousands(release.count), release.purpose,
                               describe(release.event)));
  }
  Context::print(outlook_text(dry));
}

void print_outcome(const Context& context, const TrainingOutcome& outcome, Figures figures) {
  Context::print(context.json ? to_json(outcome, figures) : to_text(outcome, figures));
}

}  // namespace dpfermi::cli
