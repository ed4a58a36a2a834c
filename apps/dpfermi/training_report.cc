#include "training_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "dpfermi/artifact/plan_json.h"
#include "dpfermi/core/text.h"
#include "metrics_report.h"

namespace dpfermi::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string goal_text(const TrainingOutcome& outcome) {
  const TrainingRecord& record = outcome.model.training;
  if (record.fairness == FairnessNotion::kNone) return record.method;
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
  if (outcome.plan->method == Method::kSketch) {
    const std::uint64_t passes = record.steps * record.batch / outcome.train.rows;
    return fmt::format("{} passes over {} rows", with_thousands(passes),
                       with_thousands(outcome.train.rows));
  }
  return fmt::format("{} steps, batches of about {}", with_thousands(record.steps),
                     with_thousands(record.batch));
}

/// The violation that was asked for and the one that was reached, on the training data.
struct Target {
  double asked;
  double reached;
  bool met() const { return reached <= asked + std::max(0.01, 0.25 * asked); }
};

std::optional<Target> target_of(const TrainingOutcome& outcome) {
  const TrainingRecord& record = outcome.model.training;
  if (!record.max_violation || !outcome.train.fairness) return std::nullopt;
  const PerNotion& violation = outcome.train.fairness->violation;
  double reached = violation.demographic_parity;
  if (record.fairness == FairnessNotion::kEqualizedOdds) reached = violation.equalized_odds;
  if (record.fairness == FairnessNotion::kEqualOpportunity) reached = violation.equal_opportunity;
  return Target{*record.max_violation, reached};
}

std::string target_text(const TrainingOutcome& outcome) {
  std::string text;
  const std::optional<Target> target = target_of(outcome);
  if (target) {
    text += fmt::format("\nTarget: asked for {:g}, reached {:.4f} on the training data.\n",
                        target->asked, target->reached);
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
  if (outcome.unknown_groups > 0) {
    text += fmt::format(
        "\n{} of {} groups (by label, where the notion has labels) are too small to be told from "
        "noise at this epsilon;\nthey count as fair.\n",
        outcome.unknown_groups, outcome.counted_groups);
  }
  return text;
}

Json privacy_to_json(const TrainingOutcome& outcome) {
  Json json = Json::parse(to_json(outcome.model.privacy));
  Json recorded = recorded_json(outcome.research, outcome.ledger, outcome.place);
  if (!recorded.is_null()) json["recorded"] = std::move(recorded);
  return json;
}

}  // namespace

std::string to_text(const TrainingOutcome& outcome) {
  const TrainedModel& model = outcome.model;
  std::string text = fmt::format("{}; {}, {} inputs\n\n", goal_text(outcome), effort_text(outcome),
                                 model.spec.inputs);
  std::vector<NamedMetrics> sets = {{"train", &outcome.train}};
  if (outcome.test) sets.push_back({"test", &*outcome.test});
  text += metrics_text(sets, model.classes, model.favourable, model.groups);
  text += target_text(outcome);
  text += "\n" + describe(model.privacy) +
          recorded_text(outcome.research, outcome.ledger, outcome.place);
  text += fmt::format("\ntrained in {:.2f} s, {:.2f} s in all\nmodel {}\n", outcome.train_seconds,
                      outcome.total_seconds, outcome.out);
  return text;
}

std::string to_json(const TrainingOutcome& outcome) {
  const std::vector<std::string>& groups = outcome.model.groups;
  Json json = {{"exact_not_private", true}, {"train", Json::parse(to_json(outcome.train, groups))}};
  if (outcome.test) json["test"] = Json::parse(to_json(*outcome.test, groups));
  json["privacy"] = privacy_to_json(outcome);
  if (outcome.plan) json["plan"] = Json::parse(to_json(*outcome.plan));
  json["lambda"] = outcome.model.training.lambda;
  if (const std::optional<Target> target = target_of(outcome)) {
    json["target"] = {
        {"asked", target->asked}, {"reached", target->reached}, {"met", target->met()}};
  }
  if (outcome.violation) {
    json["violation_interval"] = {{"low", outcome.violation->low},
                                  {"high", outcome.violation->high},
                                  {"confidence", outcome.violation->confidence},
                                  {"by", outcome.violation->by_proxy ? "sketch" : "query"}};
  }
  json["groups_too_small"] = outcome.unknown_groups;
  json["seconds"] = {{"train", outcome.train_seconds}, {"total", outcome.total_seconds}};
  json["model"] = printable(outcome.out, SIZE_MAX);
  return json.dump(2) + "\n";
}

void print_dry_run(const Context& context, const DryRun& dry) {
  const TrainingPlan& plan = dry.plan;
  if (context.json) {
    Json json = {{"dry_run", true}, {"plan", Json::parse(to_json(plan))}};
    json["releases"] = Json::array();
    for (const StatedRelease& release : dry.releases) {
      json["releases"].push_back({{"purpose", release.purpose},
                                  {"count", release.count},
                                  {"event", Json::parse(to_json(release.event))}});
    }
    Context::print(json.dump(2) + "\n");
    return;
  }
  Context::print(
      fmt::format("Dry run: nothing protected was read and nothing was charged.\n"
                  "Plan: {}, {} steps on {} {}, batches of about {}, {} inputs\n",
                  to_string(plan.method), with_thousands(plan.steps), with_thousands(plan.units),
                  dry.units, with_thousands(plan.batch), plan.model.inputs));
  if (!dry.charged) {
    Context::print("Price: nothing; protected data would not be read\n");
    return;
  }
  Context::print(plan.noise_multiplier > 0
                     ? fmt::format("Price: epsilon {:.6g}, delta {:.6g} under adjacency {}\n",
                                   plan.epsilon, plan.delta, to_string(plan.adjacency))
                     : "Price: no finite epsilon; protected data would be read without noise\n");
  for (const StatedRelease& release : dry.releases) {
    Context::print(fmt::format("  {} x {}: {}\n", with_thousands(release.count), release.purpose,
                               describe(release.event)));
  }
}

void print_outcome(const Context& context, const TrainingOutcome& outcome) {
  Context::print(context.json ? to_json(outcome) : to_text(outcome));
}

}  // namespace dpfermi::cli
