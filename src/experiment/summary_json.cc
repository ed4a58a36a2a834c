// Summaries as JSON.

#include <algorithm>

#include "experiment/spec_json.h"
#include "experiment/summary.h"

namespace dpfermi {
namespace {

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json to_json(const Estimate& estimate) {
  return {{"mean", estimate.mean}, {"standard_error", estimate.error}};
}

Json to_json(const Curve& curve) {
  Json json = {{"method", curve.method}, {"epsilon", number_or_null(curve.epsilon)}};
  if (curve.published) json["published"] = true;
  return json;
}

Json with_points(const Curve& curve, const std::map<std::uint32_t, FreeLine>& lines) {
  Json json = to_json(curve);
  const std::vector<TradeOffPoint> means = curve.means(ViolationOf::kTest);
  const std::vector<std::size_t> best = pareto_frontier(means);
  json["points"] = Json::array();
  for (std::size_t j = 0; j < curve.models.size(); ++j) {
    const CurveModel& model = curve.models[j];
    Json point = {{"lambda", number_or_null(model.lambda)}};
    if (model.target) point["target"] = *model.target;
    point["splits"] = model.splits.size();
    point["error"] = to_json(estimate(model.error));
    point["violation"] = to_json(estimate(model.violation));
    point["train_violation"] = to_json(estimate(model.train_violation));
    if (const auto above = above_line(model, lines, ViolationOf::kTest)) {
      point["above_free_line"] = to_json(above->excess);
      point["above_constant"] = to_json(above->over_constant);
    }
    if (!model.seconds.empty()) point["seconds"] = estimate(model.seconds).mean;
    point["on_frontier"] = std::ranges::find(best, j) != best.end();
    json["points"].push_back(std::move(point));
  }
  return json;
}

Json to_json(const Comparison& comparison) {
  Json json = {{"verdict", to_string(comparison.verdict)},
               {"mean_difference", comparison.mean_difference},
               {"area", comparison.area},
               {"least_violation", {comparison.reach, comparison.other_reach}}};
  json["levels"] = Json::array();
  for (const MatchedLevel& level : comparison.levels) {
    json["levels"].push_back(
        {{"violation", level.violation}, {"difference", to_json(level.difference)}});
  }
  return json;
}

Json to_json(const PanelSummary& summary) {
  Json json = {{"dataset", summary.panel.dataset},
               {"protocol", to_string(summary.panel.protocol)},
               {"notion", to_string(summary.panel.notion)}};
  for (const char* key : {"curves", "comparisons", "epsilon_needed"}) json[key] = Json::array();
  const auto lines = free_lines(summary.panel.curves, ViolationOf::kTest);
  for (const Curve& curve : summary.panel.curves) {
    json["curves"].push_back(with_points(curve, lines));
  }
  for (const NamedComparison& pair : summary.comparisons) {
    json["comparisons"].push_back({{"first", to_json(pair.first)},
                                   {"second", to_json(pair.second)},
                                   {"matched_on_test", to_json(pair.test)},
                                   {"matched_on_train", to_json(pair.train)}});
  }
  for (const EpsilonNeeded& needed : summary.epsilons) {
    json["epsilon_needed"].push_back({{"method", needed.method},
                                      {"as_good_as", to_json(needed.reference)},
                                      {"matched_on_test", number_or_null(needed.test)},
                                      {"matched_on_train", number_or_null(needed.train)}});
  }
  return json;
}

}  // namespace

std::string to_json(const Summary& summary) {
  Json json = {{"exact_not_private", true},
               {"sweep", json_of(summary.description)},
               {"complete", summary.complete},
               {"runs", summary.runs}};
  json["panels"] = Json::array();
  for (const PanelSummary& panel : summary.panels) json["panels"].push_back(to_json(panel));
  return json_text(json);
}

}  // namespace dpfermi
