// Private metrics as JSON: every number with its intervals.

#include <cassert>

#include "evaluate/metrics_json.h"

namespace dpfermi {
namespace {

Json to_json(const NoisyFigure& estimate) {
  Json json = {{"value", estimate.value ? Json(*estimate.value) : Json(nullptr)},
               {"low", estimate.interval.low},
               {"high", estimate.interval.high}};
  if (estimate.population) {
    json["population"] = {{"low", estimate.population->low}, {"high", estimate.population->high}};
  }
  return json;
}

Json to_json(const PrivateGroup& group, const std::string& name, const std::string& unit) {
  Json json = {{"name", name}, {unit, to_json(group.units)}, {"rate", Json::array()}};
  for (const NoisyFigure& rate : group.rate) json["rate"].push_back(to_json(rate));
  json["error"] = to_json(group.error);
  json["true_positive_rate"] = to_json(group.true_positive_rate);
  json["false_positive_rate"] = to_json(group.false_positive_rate);
  json["balanced_error"] = to_json(group.balanced_error);
  json["precision"] = to_json(group.precision);
  return json;
}

}  // namespace

Json json_of(const PrivateMetrics& metrics, bool persons,
             std::span<const std::string> group_names) {
  assert(group_names.size() == metrics.groups.size());
  const std::string unit = persons ? "persons" : "rows";
  Json json = {{"exact_not_private", false},
               {"confidence", PrivateMetrics::kConfidence},
               {"statements", metrics.statements},
               {unit, to_json(metrics.units)},
               {"error", to_json(metrics.error)}};
  for (const auto& [notion, figure] : metrics.violation) {
    json["violation"][json_key(notion)] = to_json(figure);
  }
  json["groups"] = Json::array();
  for (std::size_t r = 0; r < metrics.groups.size(); ++r) {
    json["groups"].push_back(to_json(metrics.groups[r], group_names[r], unit));
  }
  return json;
}

std::string to_json(const PrivateMetrics& metrics, bool persons,
                    std::span<const std::string> group_names) {
  return json_text(json_of(metrics, persons, group_names));
}

}  // namespace dpfermi
