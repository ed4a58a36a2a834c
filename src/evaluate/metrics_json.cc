// Metrics as JSON; the label "exact, not private" travels with them.

#include <cassert>

#include "dpfermi/evaluate/metrics.h"
#include "privacy/json_fields.h"

namespace dpfermi {
namespace {

Json to_json(const PerNotion& figures) {
  return {{"demographic_parity", figures.demographic_parity},
          {"equalized_odds", figures.equalized_odds},
          {"equal_opportunity", figures.equal_opportunity}};
}

Json number_or_null(std::optional<double> value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const GroupMetrics& group, const std::string& name) {
  return {{"name", name},
          {"rows", group.rows},
          {"rate", group.rate},
          {"soft_rate", group.soft_rate},
          {"error", number_or_null(group.error)},
          {"true_positive_rate", number_or_null(group.true_positive_rate)},
          {"false_positive_rate", number_or_null(group.false_positive_rate)}};
}

}  // namespace

std::string to_json(const Metrics& metrics, std::span<const std::string> group_names) {
  Json json = {{"exact_not_private", true}, {"rows", metrics.rows}, {"error", metrics.error}};
  if (metrics.fairness) {
    const FairnessMetrics& fairness = *metrics.fairness;
    assert(group_names.size() == fairness.groups.size());
    json["violation"] = to_json(fairness.violation);
    json["soft_violation"] = to_json(fairness.soft_violation);
    json["ermi"] = to_json(fairness.ermi);
    json["soft_ermi"] = to_json(fairness.soft_ermi);
    json["groups"] = Json::array();
    for (std::size_t r = 0; r < fairness.groups.size(); ++r) {
      json["groups"].push_back(to_json(fairness.groups[r], group_names[r]));
    }
  }
  return json_text(json);
}

}  // namespace dpfermi
