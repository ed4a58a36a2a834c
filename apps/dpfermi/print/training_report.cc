#include "print/training_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "artifact/artifact_json.h"
#include "artifact/model_card.h"
#include "core/text.h"
#include "dpfermi/methods/registry.h"
#include "dpfermi/privacy/protected.h"
#include "evaluate/metrics_json.h"
#include "print/charge_record.h"
#include "print/metrics_report.h"
#include "privacy/statement_json.h"
#include "workflow/model_use.h"
#include "workflow/outcome_json.h"

namespace dpfermi::cli {
namespace {

std::string goal_text(const TrainingOutcome& outcome) {
  const TrainingRecord& record = outcome.model.training;
  if (record.fairness == FairnessNotion::kNone) return record.method;
  const std::string goal = fmt::format("{} for {}", record.method, to_string(record.fairness));
  if (const auto method = find_method(record.method); method && !(*method)->takes_lambda()) {
    return record.max_violation
               ? fmt::format("{}, to a violation of {:g}", goal, *record.max_violation)
               : goal;
  }
  if (!record.max_violation) return fmt::format("{}, lambda {:.4g}", goal, record.lambda);
  // Where the model is not the trained one, the weight says nothing about it.
  if (!record.returned.empty()) {
    return fmt::format("{}, steered to a violation of {:g}", goal, *record.max_violation);
  }
  return fmt::format("{}, lambda {:.4g} (steered to a violation of {:g})", goal, record.lambda,
                     *record.max_violation);
}

std::string effort_text(const TrainingOutcome& outcome) {
  const TrainingRecord& record = outcome.model.training;
  if (!outcome.plan) {
    return fmt::format("{} on {}", counted(record.steps, "step"),
                       counted(outcome.train.rows, "row"));
  }
  if (outcome.model.rule.repair) {
    return fmt::format("{} for {}", counted(record.steps, "rule"),
                       counted(outcome.train.rows, "row"));
  }
  if (outcome.plan->method->takes_sketch() || outcome.plan->at_once) {
    const std::uint64_t passes = record.steps * record.batch / outcome.train.rows;
    return fmt::format("{} over {}", counted(passes, "pass"), counted(outcome.train.rows, "row"));
  }
  return fmt::format("{}, batches of about {}", counted(record.steps, "step"),
                     with_thousands(record.batch));
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
          target->counting
              ? fmt::format("; {:.4f} among the groups that were compared", *target->counting)
              : "");
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
  if (!outcome.model.training.hidden.empty()) {
    text += fmt::format("\nHidden: {}.\n", describe_hidden(outcome.model));
  }
  return text;
}

/// One line of the summary.
std::string line(std::string_view name, std::string_view text) {
  return fmt::format("{:<10} {}\n", name, text);
}

/// Errors on test and training rows beside that of the best constant.
std::string error_line(const TrainingOutcome& outcome, Figures figures) {
  if (figures == Figures::kPublic && !errors_are_public(outcome.model)) {
    return line("error", "not shown, because it depends on what is protected (--exact shows it)");
  }
  const auto on = [](const Metrics& metrics, const char* rows) {
    return fmt::format("{:.4f} on {} {} rows", metrics.error, with_thousands(metrics.rows), rows);
  };
  std::string text = outcome.test ? on(*outcome.test, "test") + ", " : "";
  text += on(outcome.train, "training");
  if (outcome.constant) {
    text += fmt::format("; always predicting '{}': {:.4f}",
                        printable(outcome.model.classes[outcome.constant->label]),
                        outcome.constant->error);
  }
  return line("error", text);
}

/// The released interval, the verdict on the target and what noise hides.
std::string fairness_lines(const TrainingOutcome& outcome, Figures figures) {
  std::string text;
  if (outcome.violation) {
    const ViolationInterval& interval = *outcome.violation;
    text += line("violation",
                 fmt::format("{:.4f} to {:.4f} on the training rows ({:g} % confidence, {})",
                             interval.low, interval.high, 100 * interval.confidence,
                             interval.by_proxy ? "by the sketch, if its features capture how "
                                                 "groups differ"
                                               : "by a private query"));
  }
  if (const std::optional<Target> target = target_of(outcome, figures)) {
    text += line("target", fmt::format("{:g}: {}: {}", target->asked, verdict_word(target->met),
                                       target->reason));
  }
  if (!outcome.model.training.returned.empty()) {
    text += line("returned", outcome.model.training.returned);
  }
  if (outcome.model.training.merge_small > 0) {
    text += line("merged", describe_merging(outcome.model));
  }
  if (!outcome.model.training.hidden.empty()) {
    text += line("hidden", describe_hidden(outcome.model));
  }
  return text;
}

std::string privacy_lines(const TrainingOutcome& outcome) {
  const PrivacyStatement& statement = outcome.model.privacy;
  std::string text = line("protected", describe_protected(statement));
  text += line("guarantee", describe_guarantee(statement));
  constexpr std::size_t kMostAssumptions = 3;
  const std::vector<std::string> assumed = treated_as_public(statement);
  for (std::size_t i = 0; i < std::min(assumed.size(), kMostAssumptions); ++i) {
    text += line("public", fmt::format("by assumption: {}", printable(assumed[i], SIZE_MAX)));
  }
  if (assumed.size() > kMostAssumptions) {
    text += line("public", fmt::format("and {} more assumptions (--verbose lists them)",
                                       assumed.size() - kMostAssumptions));
  }
  if (outcome.charge.research) {
    text += line("recorded", Spending::kResearch);
  } else if (outcome.charge.place) {
    text += line("recorded",
                 fmt::format("run {} in {}", outcome.charge.place->run_id, outcome.charge.ledger));
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

}  // namespace

std::string to_summary(const TrainingOutcome& outcome, Figures figures) {
  const TrainedModel& model = outcome.model;
  std::string text = fmt::format("{}; {}, {}\n\n", goal_text(outcome), effort_text(outcome),
                                 counted(model.spec.inputs, "input"));
  if (figures == Figures::kExact) text += exact_text(outcome) + "\n";
  text += error_line(outcome, figures) + fairness_lines(outcome, figures) + privacy_lines(outcome);
  text += line("model", fmt::format("{}, trained in {:.2f} s ({:.2f} s in all)", outcome.out,
                                    outcome.train_seconds, outcome.total_seconds));
  text +=
      line("next", fmt::format("dpfermi inspect {}   (the model card: every release, what is not "
                               "covered)",
                               outcome.out));
  return text + constant_text(outcome, figures);
}

std::string to_text(const TrainingOutcome& outcome, Figures figures) {
  const TrainedModel& model = outcome.model;
  std::string text = fmt::format("{}; {}, {}\n\n", goal_text(outcome), effort_text(outcome),
                                 counted(model.spec.inputs, "input"));
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
  json["groups_too_small"] = outcome.model.training.hidden;
  if (outcome.model.training.merge_small > 0) {
    json["merged"] = {{"below", outcome.model.training.merge_small},
                      {"groups", outcome.model.training.merged}};
  }
  json["seconds"] = {{"train", outcome.train_seconds}, {"total", outcome.total_seconds}};
  json["model"] = printable(outcome.out, SIZE_MAX);
  return json_text(json) + "\n";
}

void print_outcome(const Context& context, const TrainingOutcome& outcome, Figures figures,
                   Detail detail) {
  if (context.json) {
    Context::print(to_json(outcome, figures));
  } else {
    Context::print(detail == Detail::kFull ? to_text(outcome, figures)
                                           : to_summary(outcome, figures));
  }
}

}  // namespace dpfermi::cli
