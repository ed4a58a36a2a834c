#include "artifact/model_card.h"

#include <fmt/format.h>

#include <algorithm>

#include "artifact/framed_file.h"
#include "artifact/network_softmax.h"
#include "core/text.h"
#include "dpfermi/methods/registry.h"
#include "dpfermi/privacy/protected.h"

namespace dpfermi {
namespace {

/// "  title        text".
std::string line(std::string_view title, const std::string& text) {
  return fmt::format("  {:<11}{}\n", title, text);
}

std::string indented(const std::string& text) {
  std::string out = "  ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) out += "  ";
  }
  return out;
}

std::string kind_text(const ModelSpec& spec) {
  if (spec.boosted) {
    return fmt::format("gradient-boosted trees of {} nodes in all, in this file",
                       with_thousands(spec.tree_nodes));
  }
  return spec.hidden.empty()
             ? "softmax regression"
             : fmt::format("network of tanh layers of {} units", fmt::join(spec.hidden, ", "));
}

std::string scores_text(const Schema& schema) {
  std::vector<std::string> columns;
  std::ranges::copy_if(schema.scores, std::back_inserter(columns),
                       [](const std::string& column) { return !column.empty(); });
  return fmt::format("another one, whose class probabilities come with the rows: {}",
                     printable_list(columns));
}

std::string network_text(const ImageNetwork& network) {
  return fmt::format("{} on images of {} x {} pixels, {} parameters, in this file",
                     printable(network.architecture), network.side, network.side,
                     with_thousands(network.theta.size()));
}

/// How decisions are made, where the most likely class is not all there is to it.
std::string decision_text(const DecisionRule& rule) {
  std::vector<std::string> parts;
  if (rule.repair) {
    parts.push_back(
        fmt::format("the cheapest, by costs for every class and group, of which scores and a proxy "
                    "of {} numbers "
                    "guess",
                    with_thousands(rule.repair->beta.size())));
  }
  if (!rule.weights.empty()) {
    parts.push_back(fmt::format("each by one of {} {}, which a public hash of the inputs draws{}",
                                rule.members(), rule.repair ? "tables of costs" : "models",
                                rule.members() == 2 ? fmt::format(" (weights {:.6g} and {:.6g})",
                                                                  rule.weights[0], rule.weights[1])
                                                    : ""));
  }
  if (rule.needs_group()) {
    parts.push_back(fmt::format("{} by group: the protected columns are needed to predict",
                                rule.group_table.empty() ? "with thresholds" : "then redrawn"));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string target_text(const TrainedModel& model) {
  std::vector<std::string> classes;
  for (const std::string& name : model.classes) classes.push_back(printable(name));
  classes[model.favourable] += " (favourable)";
  return fmt::format("{}: {}", printable(model.schema.target.column), fmt::join(classes, ", "));
}

std::string method_text(const TrainingRecord& record) {
  if (record.fairness == FairnessNotion::kNone) return printable(record.method);
  const std::string target =
      record.max_violation
          ? fmt::format(", steered to a violation of {:.6g}", *record.max_violation)
          : "";
  const auto method = find_method(record.method);
  const std::string lambda =
      method && !(*method)->takes_lambda() ? "" : fmt::format(", lambda = {:.6g}", record.lambda);
  return fmt::format("{} for {}{}{}", printable(record.method), to_string(record.fairness), lambda,
                     target);
}

std::string units_text(const TrainedModel& model) {
  return model.privacy.id_column.empty() ? "records" : "persons";
}

std::string effort_text(const TrainedModel& model) {
  const TrainingRecord& record = model.training;
  if (model.rule.repair) {
    return fmt::format("{} for {} {}", counted(record.steps, "rule"), with_thousands(record.units),
                       units_text(model));
  }
  const std::string batches = record.batch == 0
                                  ? ""
                                  : fmt::format(" ({:.6g} epochs, batches of about {})",
                                                record.epochs, with_thousands(record.batch));
  return fmt::format("{}{} on {} {}", counted(record.steps, "step"), batches,
                     with_thousands(record.units), units_text(model));
}

std::string features_text(const Pipeline& pipeline) {
  std::vector<std::string> names;
  for (const NumericFeature& feature : pipeline.numeric()) names.push_back(feature.column);
  for (const CategoryFeature& feature : pipeline.categories()) names.push_back(feature.column);
  return fmt::format("{} from {}: {}", counted(pipeline.columns(), "column"),
                     counted(names.size(), "feature"), printable_list(names));
}

/// How many features were fitted on what terms: "12 public, 1 given".
std::string provenance_text(const Pipeline& pipeline) {
  std::vector<std::string> terms;
  for (const auto provenance : {Provenance::kPublic, Provenance::kGiven, Provenance::kReleased}) {
    const auto numbers = std::ranges::count_if(pipeline.numeric(), [&](const auto& feature) {
      return feature.standardizer.provenance == provenance;
    });
    const auto categories = std::ranges::count_if(pipeline.categories(), [&](const auto& feature) {
      return feature.categories.provenance == provenance;
    });
    if (numbers + categories == 0) continue;
    terms.push_back(fmt::format("{} {}", numbers + categories, to_string(provenance)));
  }
  return fmt::format("scales and category lists: {}", fmt::join(terms, ", "));
}

std::string trained_text(const TrainedModel& model) {
  const TrainingRecord& record = model.training;
  std::string text;
  if (is_network_softmax(model)) {
    text = line("model", fmt::format("network {}", network_text(*model.network)));
  } else {
    text = line("model", model.theta.empty() ? scores_text(model.schema) : kind_text(model.spec));
    if (model.network) text += line("network", network_text(*model.network));
  }
  if (!model.rule.plain()) text += line("decisions", decision_text(model.rule));
  text += line("target", target_text(model));
  if (const auto& target = model.training.target) {
    text += line("violation", fmt::format("{}: {}", verdict_word(target->met), target->reason));
  }
  if (!model.training.returned.empty()) text += line("returned", model.training.returned);
  text += line("method", method_text(record));
  text += line("effort", effort_text(model));
  text += line("inputs", features_text(model.pipeline));
  text += line("fitted", provenance_text(model.pipeline));
  text += line("data", printable(record.data, kCardText));
  if (!record.protocol.empty()) text += line("protocol", printable(record.protocol, kCardText));
  if (record.held_out) {
    text += line("held out", fmt::format("{:.6g}% of the rows for testing (split seed {})",
                                         100 * record.held_out->fraction, record.held_out->seed));
  }
  text += line("software", fmt::format("dpfermi {}", printable(record.library_version)));
  return text;
}

std::string groups_text(const TrainedModel& model) {
  std::vector<std::string> columns;
  for (const SensitiveSpec& spec : model.schema.sensitive) columns.push_back(spec.column);
  if (columns.empty()) return "  no protected columns were named\n";
  return line("columns", printable_list(columns)) +
         line("groups", fmt::format("{} ({})", printable_list(model.groups),
                                    model.privacy.domain_declared
                                        ? "declared"
                                        : "read from the data, treated as public")) +
         (model.training.merge_small > 0 ? line("merged", describe_merging(model)) : "") +
         (model.training.hidden.empty() ? "" : line("hidden", describe_hidden(model)));
}

/// What no figure of a run shows where whole records are protected.
constexpr const char* kErrorsProtected =
    "  Errors on the training data are protected as well and were not released: nothing here says\n"
    "  whether the model is better than the free line.\n";

std::string limits_text(const TrainedModel& model) {
  std::string text = fmt::format(
      "  Exact rates and errors of groups read the protected columns; they are not stored here.\n"
      "  dpfermi evaluate prints them for the holder of the data, marked \"{}\".\n",
      ExactForHolder::kLabel);
  if (model.training.fairness == FairnessNotion::kNone) {
    text += "  Nothing was done about fairness.\n";
  } else {
    text += fmt::format(
        "  Training pushed towards {} on its own data. That is not a promise for other\n"
        "  notions of fairness, other groups or another population: measure it where it is used.\n",
        to_string(model.training.fairness));
    if (!features_are_public(model.schema.adjacency)) text += kErrorsProtected;
  }
  text +=
      "  A category that was not seen in training carries no weight; a missing number counts as\n"
      "  the centre of its column. Protected columns are not needed to predict";
  text += model.schema.sensitive_features.empty()
              ? ".\n"
              : fmt::format(", except {}, which are features as well.\n",
                            printable_list(model.schema.sensitive_features));
  return text;
}

}  // namespace

std::string describe_released(const TrainedModel& model) {
  std::string text;
  for (const ReleasedFigure& figure : model.released) {
    text += fmt::format("  {} = {:.6g}", printable(figure.name), figure.value);
    if (figure.noise_stddev) {
      text += fmt::format(" (noise of standard deviation {:.3g})", *figure.noise_stddev);
    }
    text += "\n";
  }
  return text;
}

std::string describe_merging(const TrainedModel& model) {
  const TrainingRecord& record = model.training;
  const std::string small =
      fmt::format("fewer than {} {} by {}", with_thousands(record.merge_small), units_text(model),
                  holds_exact_release(model.privacy) ? "exact counts" : "released counts");
  if (record.merged.empty()) return fmt::format("none: no two groups have {}", small);
  return fmt::format("{}: {} each; they are compared as one group", printable_list(record.merged),
                     small);
}

std::string describe_hidden(const TrainedModel& model) {
  const std::vector<std::string>& hidden = model.training.hidden;
  return fmt::format("{}: too small to be told from noise, and not compared",
                     printable_list(hidden));
}

std::string describe_card(const TrainedModel& model) {
  const bool unread = is_private(model.privacy) && model.privacy.releases.empty();
  const char* promise = unread                      ? "trained without the protected attribute"
                        : is_private(model.privacy) ? "trained with differential privacy"
                                                    : "NOT PRIVATE";
  const bool uncounted =
      is_private(model.privacy) && model.training.protocol.starts_with("research");
  const std::string_view why = why_not_private(model.privacy);
  std::string text = fmt::format("Model card: {}{}{}{}{}\n", promise, why.empty() ? "" : ": ", why,
                                 uncounted ? ", in a run that no ledger counts" : "",
                                 headline_reservation(model.privacy));
  text += "\nWhat was trained\n" + trained_text(model);
  text += "\nProtected attribute\n" + groups_text(model);
  text += "\nPrivacy\n" + indented(describe(model.privacy) + describe_record(model.privacy));
  text += "\nFigures about groups that were released with noise\n";
  text += model.released.empty() ? "  none: no figures about groups were released\n"
                                 : describe_released(model);
  text += "\nLimits\n" + limits_text(model);
  return text;
}

}  // namespace dpfermi
