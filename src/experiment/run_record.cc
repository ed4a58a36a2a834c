#include "experiment/run_record.h"

#include "evaluate/metrics_json.h"
#include "experiment/spec_json.h"
#include "privacy/statement_json.h"

namespace dpfermi {
namespace {

CurvePoint curve_point_from_json(const Json& json) {
  const JsonFields fields(json, "a point of a curve", {"step", "error", "violation"});
  return {fields.count("step"), fields.number("error"), fields.number("violation")};
}

ReleasedViolation released_from_json(const Json& json) {
  const JsonFields fields(json, "what a record says was released",
                          {"violation", "met", "interval"});
  ReleasedViolation released{fields.number("violation"), {}, {}};
  if (fields.has("met")) released.met = fields.flag("met");
  if (fields.has("interval")) {
    const std::vector<double> ends = fields.numbers("interval");
    if (ends.size() != 2) throw BadJson("an interval of a record has two ends; run it again");
    released.interval = {ends[0], ends[1]};
  }
  return released;
}

/// A run without a notion is judged by demographic parity.
FairnessNotion judged_by(FairnessNotion notion) {
  return notion == FairnessNotion::kNone ? FairnessNotion::kDemographicParity : notion;
}

Metrics metrics_from_json(const Json& json, FairnessNotion notion,
                          std::vector<std::string>& groups) {
  NamedGroupMetrics read = value_or_throw(parse_metrics(json.dump()));
  const std::optional<FairnessMetrics>& fairness = read.metrics.fairness;
  const FairnessNotion judge = judged_by(notion);
  if (fairness && !(fairness->violation.has(judge) && fairness->soft_violation.has(judge))) {
    throw BadJson(fmt::format("the metrics of a record lack '{}'; run it again", json_key(judge)));
  }
  groups = std::move(read.groups);
  return std::move(read.metrics);
}

RunRecord record_from_json(const Json& json) {
  const JsonFields fields(json, "a record",
                          {"key", "spec", "version", "exact_not_private", "train", "test",
                           "released", "compared_violation", "privacy", "curve", "seconds"});
  RunRecord record;
  record.spec = spec_from_json(fields.at("spec"));
  record.version = fields.text("version");
  record.test = metrics_from_json(fields.at("test"), record.spec.notion, record.groups);
  record.train = metrics_from_json(fields.at("train"), record.spec.notion, record.groups);
  if (fields.has("released")) record.released = released_from_json(fields.at("released"));
  record.compared_violation = fields.maybe_number("compared_violation");
  if (fields.has("privacy")) {
    record.privacy = value_or_throw(parse_statement(fields.at("privacy").dump()));
  }
  if (fields.has("curve")) {
    for (const Json& point : fields.array("curve"))
      record.curve.push_back(curve_point_from_json(point));
  }
  const JsonFields seconds(fields.at("seconds"), "the seconds of a record", {"train", "total"});
  record.train_seconds = seconds.number("train");
  record.total_seconds = seconds.number("total");
  if (fields.text("key") != run_key(record.spec)) {
    throw BadJson("the key of a record contradicts its spec; run it again");
  }
  return record;
}

}  // namespace

double violation_of(const Metrics& metrics, FairnessNotion notion) {
  return metrics.fairness ? metrics.fairness->violation[judged_by(notion)] : 0;
}

double soft_violation_of(const Metrics& metrics, FairnessNotion notion) {
  return metrics.fairness ? metrics.fairness->soft_violation[judged_by(notion)] : 0;
}

std::string to_json_line(const RunRecord& record) {
  Json json = {{"key", run_key(record.spec)},
               {"spec", json_of(record.spec)},
               {"version", record.version},
               {"exact_not_private", true},
               {"train", json_of(record.train, record.groups)},
               {"test", json_of(record.test, record.groups)}};
  if (record.released) {
    json["released"] = {{"violation", record.released->violation}};
    if (record.released->met) json["released"]["met"] = *record.released->met;
    if (const auto& interval = record.released->interval) {
      json["released"]["interval"] = {interval->low, interval->high};
    }
  }
  if (record.compared_violation) json["compared_violation"] = *record.compared_violation;
  json["privacy"] = record.privacy ? json_of(*record.privacy) : Json(nullptr);
  if (!record.curve.empty()) {
    json["curve"] = Json::array();
    for (const CurvePoint& point : record.curve) {
      json["curve"].push_back(
          {{"step", point.step}, {"error", point.error}, {"violation", point.violation}});
    }
  }
  json["seconds"] = {{"train", record.train_seconds}, {"total", record.total_seconds}};
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<RunRecord> parse_record(const std::string& line) {
  return read_json(line, record_from_json);
}

}  // namespace dpfermi
