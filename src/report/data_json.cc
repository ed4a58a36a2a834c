#include "report/data_json.h"

#include <cmath>

#include "privacy/json_fields.h"
#include "report/sections.h"

namespace dpfermi {
namespace {

/// Six decimals are more than any figure holds; the page stays small.
Json rounded(double value) {
  return std::round(value * 1e6) / 1e6;
}

Json maybe(std::optional<double> value) {
  return value ? rounded(*value) : Json(nullptr);
}

Json to_json(const Estimate& value) {
  return {rounded(value.mean), rounded(value.error)};
}

/// [units, mean probability, share] of every bin that some units are in.
Json calibration_json(const PerformanceMeans& means) {
  Json json = Json::array();
  for (const CalibrationBin& bin : means.calibration) {
    if (bin.units == 0) continue;
    json.push_back({rounded(bin.units), rounded(bin.mean_probability), rounded(bin.share)});
  }
  return json;
}

Json to_json(const GroupMeans& group) {
  return {{"name", group.name},
          {"rows", std::round(group.rows)},
          {"rate", maybe(group.rate)},
          {"error", maybe(group.error)},
          {"true_positive_rate", maybe(group.true_positive_rate)},
          {"false_positive_rate", maybe(group.false_positive_rate)},
          {"balanced_error", maybe(group.performance.balanced_error)},
          {"precision", maybe(group.performance.precision)},
          {"auc", maybe(group.performance.auc)},
          {"brier", maybe(group.performance.brier)},
          {"calibration", calibration_json(group.performance)}};
}

Json point_json(const CurveModel& model, const PointDetails* details) {
  Json json = {{"lambda", maybe(model.lambda)},
               {"target", maybe(model.target)},
               {"runs", model.error.size()},
               {"error", to_json(estimate(model.error))},
               {"violation", to_json(estimate(model.violation))},
               {"statement", nullptr},
               {"calibration", Json::array()},
               {"groups", Json::array()}};
  if (details == nullptr) return json;
  json["train"] = rounded(estimate(model.train_violation).mean);
  if (details->statement) json["statement"] = *details->statement;
  json["calibration"] = calibration_json(details->performance);
  for (const GroupMeans& group : details->groups) json["groups"].push_back(to_json(group));
  return json;
}

Json training_json(const TrainingCurve& curve) {
  Json points = Json::array();
  for (const CurvePoint& point : curve.points) {
    points.push_back({point.step, rounded(point.error), rounded(point.violation)});
  }
  return {{"lambda", maybe(curve.lambda)}, {"points", points}};
}

Json series_json(const Curve& curve, const CurveDetails* details) {
  Json json = {{"method", curve.method},       {"epsilon", maybe(curve.epsilon)},
               {"published", curve.published}, {"plain", is_plain(curve)},
               {"derived", curve.derived},     {"points", Json::array()}};
  for (std::size_t i = 0; i < curve.models.size(); ++i) {
    json["points"].push_back(
        point_json(curve.models[i], details == nullptr ? nullptr : &details->points[i]));
  }
  if (details != nullptr && details->training) json["curve"] = training_json(*details->training);
  return json;
}

Json panel_json(const ReportPanel& panel) {
  const std::string protocol(to_string(panel.protocol));
  Json json = {{"dataset", panel.dataset},
               {"dataset_title", dataset_title(panel.dataset)},
               {"notion", std::string(to_string(panel.notion))},
               {"notion_title", notion_title(panel.notion)},
               {"protocol", protocol},
               {"kind", notion_title(panel.notion) + " · " + protocol},
               {"title", panel.title()},
               {"level", panel.answer ? rounded(panel.answer->violation.mean) : Json(0)},
               {"series", Json::array()}};
  for (std::size_t i = 0; i < panel.curves.size(); ++i) {
    json["series"].push_back(
        series_json(panel.curves[i], i < panel.details.size() ? &panel.details[i] : nullptr));
  }
  return json;
}

/// What is protected and what is promised: the lines of a statement that come first.
std::string summary(const PrivacyStatement& statement) {
  const std::string text = describe(statement);
  return text.substr(0, text.find("\nReleased:"));
}

}  // namespace

std::string page_json(const ReportData& data) {
  const ReportPanel* leading = leading_panel(data);
  const Protocol protocol = leading != nullptr ? leading->protocol : data.panels.front().protocol;
  Json start = {{"protocol", std::string(to_string(protocol))}, {"epsilon", nullptr}};
  if (leading != nullptr) {
    start["epsilon"] = maybe(leading->curves[leading->answer->curve].epsilon);
  }
  Json json = {{"start", start}, {"panels", Json::array()}, {"statements", Json::array()}};
  for (const ReportPanel& panel : data.panels) json["panels"].push_back(panel_json(panel));
  for (const PrivacyStatement& statement : data.statements) {
    json["statements"].push_back({{"summary", summary(statement)}});
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace dpfermi
