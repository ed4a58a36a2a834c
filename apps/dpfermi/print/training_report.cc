#include "print/training_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "artifact/plan_json.h"
#include "core/text.h"
#include "dpfermi/privacy/protected.h"
#include "optimize/training_defaults.h"
#include "print/charge_record.h"
#include "print/metrics_report.h"

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
  if (outcome.plan->method == Method::kSketch || outcome.plan->at_once) {
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
  std::optional<double> counting;  ///< among the groups that are large enough, where some are not
  bool met() const { return reached <= asked + std::max(0.01, 0.25 * asked); }
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

/// The violation among the groups that count: those that are too small count as fair. Nothing where
/// all count, or where the metrics do not tell.
std::optional<double> violation_of_known(const TrainingOutcome& outcome) {
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

std::optional<Target> target_of(const TrainingOutcome& outcome) {
  const TrainingRecord& record = outcome.model.training;
  if (!record.max_violation || !outcome.train.fairness) return std::nullopt;
  const double reached = outcome.train.fairness->violation[record.fairness];
  return Target{*record.max_violation, reached, violation_of_known(outcome)};
}

/// A model that ignores its inputs may do as well, at no price.
std::string constant_text(const TrainingOutcome& outcome) {
  const double error = outcome.test ? outcome.test->error : outcome.train.error;
  if (!outcome.constant || error < outcome.constant->error) return "";
  return fmt::format(
      "\nNo better than always predicting '{}', whose error is {:.4f}: allow a larger violation or "
      "a larger epsilon, or bring more rows.\n",
      printable(outcome.model.classes[outcome.constant->label]), outcome.constant->error);
}

std::string target_text(const TrainingOutcome& outcome) {
  std::string text;
  const std::optional<Target> target = target_of(outcome);
  if (target) {
    text += fmt::format("\nTarget: asked for {:g}, reached {:.4f} on the training data ({}){}.\n",
                        target->asked, target->reached, ExactForHolder::kLabel,
                        target->counting
                            ? fmt::format(", {:.4f} among the groups that count", *target->counting)
                            : "");
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
  if (const auto unknown = std::ranges::count(outcome.known_groups, false); unknown > 0) {
    text += fmt::format(
        "\n{} of {} groups (by label, where the notion has labels) are too small to be told from "
        "noise at this epsilon;\nthey count as fair.\n",
        unknown, outcome.known_groups.size());
  }
  return text;
}

Json privacy_to_json(const TrainingOutcome& outcome) {
  Json json = Json::parse(to_json(outcome.model.privacy));
  Json recorded = recorded_json(outcome.charge);
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

/// What else can be said before anything is spent.
std::string outlook_text(const DryRun& dry) {
  std::string text;
  if (!dry.domain_declared) {
    text += "Treated as public: the list of groups; --sensitive-values declares it\n";
  }
  if (dry.plan.counts_sigma > 0) {
    text += fmt::format("Groups of fewer than about {} {} cannot be told from noise\n",
                        with_thousands(static_cast<std::uint64_t>(
                            std::ceil(defaults::kKnown * dry.plan.counts_sigma))),
                        dry.units);
  }
  if (!dry.budget) return text;
  if (!dry.budget->cap) {
    return text + fmt::format("Budget: '{}' has no limit\n", printable(dry.budget->name));
  }
  return text + fmt::format("Budget: '{}' has epsilon {}, delta {} left; the run {}\n",
                            printable(dry.budget->name),
                            shortest(dry.budget->left_epsilon().to_double(Rounding::kDown)),
                            shortest(dry.budget->left_delta().to_double(Rounding::kDown)),
                            fits(dry) ? "fits" : "does NOT fit");
}

}  // namespace

std::string to_text(const TrainingOutcome& outcome) {
  const TrainedModel& model = outcome.model;
  std::string text = fmt::format("{}; {}, {} inputs\n\n", goal_text(outcome), effort_text(outcome),
                                 model.spec.inputs);
  std::vector<NamedMetrics> sets = {{"train", &outcome.train}};
  if (outcome.test) sets.push_back({"test", &*outcome.test});
  text += metrics_text(sets, model.classes, model.favourable, model.groups);
  text += constant_text(outcome) + target_text(outcome);
  text += "\n" + describe(model.privacy) + recorded_text(outcome.charge);
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
    if (target->counting) json["target"]["reached_by_known_groups"] = *target->counting;
  }
  if (outcome.violation) {
    json["violation_interval"] = {{"low", outcome.violation->low},
                                  {"high", outcome.violation->high},
                                  {"confidence", outcome.violation->confidence},
                                  {"by", outcome.violation->by_proxy ? "sketch" : "query"}};
  }
  if (outcome.constant) json["constant_error"] = outcome.constant->error;
  json["groups_too_small"] = std::ranges::count(outcome.known_groups, false);
  json["seconds"] = {{"train", outcome.train_seconds}, {"total", outcome.total_seconds}};
  json["model"] = printable(outcome.out, SIZE_MAX);
  return json.dump(2) + "\n";
}

void print_dry_run(const Context& context, const DryRun& dry) {
  const TrainingPlan& plan = dry.plan;
  if (context.json) {
    Json json = {{"dry_run", true}, {"plan", Json::parse(to_json(plan))}};
    json["domain_of_s"] = dry.domain_declared ? "declared" : "treated as public";
    if (!dry.to_train.empty()) json["first"] = dry.to_train;
    if (dry.budget) json["budget"] = {{"name", dry.budget->name}, {"fits", fits(dry)}};
    json["releases"] = Json::array();
    for (const StatedRelease& release : dry.releases) {
      json["releases"].push_back({{"purpose", release.purpose},
                                  {"count", release.count},
                                  {"event", Json::parse(to_json(release.event))}});
    }
    Context::print(json.dump(2) + "\n");
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

void print_outcome(const Context& context, const TrainingOutcome& outcome) {
  Context::print(context.json ? to_json(outcome) : to_text(outcome));
}

}  // namespace dpfermi::cli
