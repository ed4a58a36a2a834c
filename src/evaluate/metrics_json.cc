// Metrics as JSON; the label "exact, not private" travels with them.

#include "evaluate/metrics_json.h"

#include <cassert>

namespace dpfermi {
namespace {

Json to_json(const PerNotion& figures) {
  Json json = Json::object();
  for (const auto& [notion, figure] : figures) json[json_key(notion)] = figure;
  return json;
}

Json number_or_null(std::optional<double> value) {
  return value ? Json(*value) : Json(nullptr);
}

Performance performance_from_json(const Json& json) {
  const JsonFields fields(json, "the performance",
                          {"auc", "balanced_error", "precision", "recall", "brier", "calibration"});
  Performance performance{fields.maybe_number("auc"),       fields.maybe_number("balanced_error"),
                          fields.maybe_number("precision"), fields.maybe_number("recall"),
                          fields.maybe_number("brier"),     {}};
  for (const Json& item : fields.array("calibration")) {
    const JsonFields bin(item, "a bin of the calibration", {"units", "mean_probability", "share"});
    performance.calibration.push_back(
        {bin.number("units"), bin.number("mean_probability"), bin.number("share")});
  }
  return performance;
}

Json to_json(const GroupMetrics& group, const std::string& name) {
  Json json = {{"name", name},
               {"rows", group.rows},
               {"rate", group.rate},
               {"soft_rate", group.soft_rate},
               {"error", number_or_null(group.error)},
               {"true_positive_rate", number_or_null(group.true_positive_rate)},
               {"false_positive_rate", number_or_null(group.false_positive_rate)}};
  if (group.performance) json["performance"] = json_of(*group.performance);
  return json;
}

PerNotion per_notion_from_json(const Json& json) {
  std::vector<std::string> keys;
  for (const FairnessNotion notion : fairness_notions()) keys.push_back(json_key(notion));
  const JsonFields fields(json, "a figure by notion", keys);
  PerNotion figures;
  for (const FairnessNotion notion : fairness_notions()) {
    const std::string key = json_key(notion);
    if (fields.has(key)) figures.add(notion, fields.number(key));
  }
  return figures;
}

GroupMetrics group_from_json(const JsonFields& fields) {
  return {fields.count("rows"),
          fields.numbers("rate"),
          fields.numbers("soft_rate"),
          fields.maybe_number("error"),
          fields.maybe_number("true_positive_rate"),
          fields.maybe_number("false_positive_rate"),
          fields.has("performance") ? std::optional(performance_from_json(fields.at("performance")))
                                    : std::nullopt};
}

NamedGroupMetrics metrics_from_json(const Json& json) {
  const JsonFields fields(
      json, "the metrics",
      {"exact_not_private", "rows", "persons", "error", "performance", "violation",
       "soft_violation", "ermi", "soft_ermi", "favourable", "groups"});
  NamedGroupMetrics read;
  read.metrics.rows = fields.count("rows");
  if (fields.has("persons")) read.metrics.persons = fields.count("persons");
  read.metrics.error = fields.number("error");
  if (fields.has("performance")) {
    read.metrics.performance = performance_from_json(fields.at("performance"));
  }
  if (!fields.has("violation")) return read;
  FairnessMetrics& fairness = read.metrics.fairness.emplace();
  fairness.violation = per_notion_from_json(fields.at("violation"));
  fairness.soft_violation = per_notion_from_json(fields.at("soft_violation"));
  fairness.ermi = per_notion_from_json(fields.at("ermi"));
  fairness.soft_ermi = per_notion_from_json(fields.at("soft_ermi"));
  fairness.favourable = fields.count("favourable");
  for (const Json& item : fields.array("groups")) {
    const JsonFields group(item, "a group",
                           {"name", "rows", "rate", "soft_rate", "error", "true_positive_rate",
                            "false_positive_rate", "performance"});
    read.groups.push_back(group.text("name"));
    fairness.groups.push_back(group_from_json(group));
  }
  return read;
}

}  // namespace

Json json_of(const Performance& performance) {
  Json json = {{"auc", number_or_null(performance.auc)},
               {"balanced_error", number_or_null(performance.balanced_error)},
               {"precision", number_or_null(performance.precision)},
               {"recall", number_or_null(performance.recall)},
               {"brier", number_or_null(performance.brier)},
               {"calibration", Json::array()}};
  for (const CalibrationBin& bin : performance.calibration) {
    json["calibration"].push_back(
        {{"units", bin.units}, {"mean_probability", bin.mean_probability}, {"share", bin.share}});
  }
  return json;
}

Json json_of(const Metrics& metrics, std::span<const std::string> group_names) {
  Json json = {{"exact_not_private", true}, {"rows", metrics.rows}};
  if (metrics.persons) json["persons"] = *metrics.persons;
  json["error"] = metrics.error;
  if (metrics.performance) json["performance"] = json_of(*metrics.performance);
  if (metrics.fairness) {
    const FairnessMetrics& fairness = *metrics.fairness;
    assert(group_names.size() == fairness.groups.size());
    json["violation"] = to_json(fairness.violation);
    json["soft_violation"] = to_json(fairness.soft_violation);
    json["ermi"] = to_json(fairness.ermi);
    json["soft_ermi"] = to_json(fairness.soft_ermi);
    json["favourable"] = fairness.favourable;
    json["groups"] = Json::array();
    for (std::size_t r = 0; r < fairness.groups.size(); ++r) {
      json["groups"].push_back(to_json(fairness.groups[r], group_names[r]));
    }
  }
  return json;
}

std::string to_json(const Metrics& metrics, std::span<const std::string> group_names) {
  return json_text(json_of(metrics, group_names));
}

Result<NamedGroupMetrics> parse_metrics(const std::string& json) {
  return read_json(json, metrics_from_json);
}

}  // namespace dpfermi
