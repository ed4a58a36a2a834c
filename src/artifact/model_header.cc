#include "artifact/model_header.h"

#include <algorithm>

#include "artifact/artifact_json.h"
#include "artifact/framed_file.h"
#include "artifact/held_out_json.h"
#include "artifact/model_file.h"
#include "data/schema_json.h"
#include "preprocess/pipeline_json.h"
#include "privacy/statement_json.h"

namespace dpfermi {
namespace {

/// A count of numbers that follow the header. No file holds more; sums of such counts do not wrap.
std::uint64_t count_of_numbers(const JsonFields& fields, const std::string& key) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  const std::uint64_t count = fields.count(key);
  if (count > kMost) throw BadJson(fmt::format("'{}' is too large; train again", key));
  return count;
}

constexpr std::string_view kBoostedTrees = "boosted trees";

std::string_view kind_of(const ModelSpec& spec) {
  if (spec.boosted) return kBoostedTrees;
  return spec.hidden.empty() ? "softmax regression" : "tanh network";
}

Json spec_to_json(const TrainedModel& model) {
  Json json = {{"kind", kind_of(model.spec)},     {"inputs", model.spec.inputs},
               {"hidden", model.spec.hidden},     {"classes", model.classes},
               {"favourable", model.favourable},  {"groups", model.groups},
               {"parameters", model.theta.size()}};
  if (!model.gains.empty()) json["gains"] = model.gains;
  if (model.rule.plain()) return json;
  json["rule"] = {{"weights", model.rule.weights}, {"group_table", model.rule.group_table}};
  if (!model.rule.group_offsets.empty()) json["rule"]["group_offsets"] = model.rule.group_offsets;
  if (const auto& repair = model.rule.repair) {
    json["rule"]["repair"] = {{"clip_norm", repair->clip_norm},
                              {"kappa", repair->kappa},
                              {"conditions", repair->condition_by_label},
                              {"beta", repair->beta},
                              {"costs", repair->costs}};
  }
  return json;
}

RepairRule repair_from_json(const Json& json, std::size_t groups) {
  const JsonFields fields(json, "'repair'", {"clip_norm", "kappa", "conditions", "beta", "costs"});
  RepairRule rule;
  rule.groups = groups;
  rule.clip_norm = fields.number("clip_norm");
  rule.kappa = fields.number("kappa");
  for (const std::uint64_t condition : fields.counts("conditions")) {
    // Out of range stays out of range.
    rule.condition_by_label.push_back(
        static_cast<std::uint32_t>(std::min<std::uint64_t>(condition, UINT32_MAX)));
  }
  for (const double value : fields.numbers("beta")) rule.beta.push_back(static_cast<float>(value));
  rule.costs = fields.numbers("costs");
  return rule;
}

/// That of layers follows from them and stands there for people.
void spec_from_json(const Json& json, ModelHeader& header) {
  const JsonFields fields(json, "'model'",
                          {"kind", "inputs", "hidden", "classes", "favourable", "groups",
                           "parameters", "gains", "rule"});
  TrainedModel& model = header.model;
  model.spec.inputs = fields.count("inputs");
  for (const std::uint64_t width : fields.counts("hidden")) model.spec.hidden.push_back(width);
  model.classes = fields.texts("classes");
  model.spec.classes = model.classes.size();
  model.favourable = fields.count("favourable");
  model.groups = fields.texts("groups");
  header.parameters = count_of_numbers(fields, "parameters");
  model.spec.boosted = fields.has("kind") && fields.text("kind") == kBoostedTrees;
  if (model.spec.boosted) model.spec.tree_nodes = header.parameters / 3;
  if (fields.has("gains")) model.gains = fields.numbers("gains");
  if (fields.has("rule")) {
    const JsonFields rule(fields.at("rule"), "'rule'",
                          {"weights", "group_table", "group_offsets", "repair"});
    model.rule.weights = rule.numbers("weights");
    model.rule.group_table = rule.numbers("group_table");
    if (rule.has("group_offsets")) model.rule.group_offsets = rule.numbers("group_offsets");
    if (rule.has("repair"))
      model.rule.repair = repair_from_json(rule.at("repair"), model.groups.size());
  }
}

Json network_to_json(const ImageNetwork& network) {
  Json json = {{"architecture", network.architecture}, {"side", network.side},
               {"settings", network.settings},         {"epochs", network.epochs},
               {"parameters", network.theta.size()},   {"components", network.components.size()}};
  if (!network.target_bins.empty()) json["target_bins"] = network.target_bins;
  if (!network.table.empty()) json["table"] = network.table;
  if (network.pictures) json["pictures"] = true;
  return json;
}

void network_from_json(const Json& json, ModelHeader& header) {
  const JsonFields fields(json, "'network'",
                          {"architecture", "side", "settings", "epochs", "parameters", "components",
                           "target_bins", "table", "pictures"});
  const auto small = [&](const std::string& key) {
    const std::uint64_t value = fields.count(key);
    if (value > 1'000'000) throw BadJson(fmt::format("'{}' of the network is too large", key));
    return static_cast<std::uint32_t>(value);
  };
  header.model.network = ImageNetwork{
      fields.text("architecture"), small("side"), fields.text("settings"), small("epochs"), {}, {}};
  if (fields.has("target_bins")) {
    header.model.network->target_bins = fields.numbers("target_bins");
  }
  if (fields.has("table")) header.model.network->table = fields.text("table");
  header.model.network->pictures = fields.has("pictures") && fields.flag("pictures");
  header.network_parameters = count_of_numbers(fields, "parameters");
  header.components = count_of_numbers(fields, "components");
}

Json training_to_json(const TrainingRecord& record) {
  Json json = {{"method", record.method},
               {"fairness", to_string(record.fairness)},
               {"lambda", record.lambda}};
  if (record.max_violation) json["max_violation"] = *record.max_violation;
  if (record.target) {
    json["target"] = {{"met", record.target->met ? Json(*record.target->met) : Json(nullptr)},
                      {"reason", printable(record.target->reason, kHeaderText)}};
  }
  if (!record.returned.empty()) json["returned"] = record.returned;
  if (record.merge_small > 0) {
    json["merged"] = {{"below", record.merge_small}, {"groups", record.merged}};
  }
  if (!record.hidden.empty()) json["hidden"] = record.hidden;
  if (record.epsilon) json["epsilon"] = *record.epsilon;
  if (record.delta) json["delta"] = *record.delta;
  json["units"] = record.units;
  json["steps"] = record.steps;
  json["epochs"] = record.epochs;
  json["batch"] = record.batch;
  json["settings"] = record.settings;
  // File names may hold any bytes.
  json["data"] = printable(record.data, kHeaderText);
  json["protocol"] = printable(record.protocol, kHeaderText);
  add_held_out(record.held_out, json);
  json["library_version"] = record.library_version;
  return json;
}

std::map<std::string, double> settings_from_json(const Json& json) {
  if (!json.is_object()) throw BadJson("'settings' is not an object; train again");
  std::map<std::string, double> settings;
  for (const auto& [name, value] : json.items()) {
    if (!value.is_number()) throw BadJson("a setting is not a number; train again");
    settings[name] = value.get<double>();
  }
  return settings;
}

TargetRecord target_from_json(const Json& json) {
  const JsonFields fields(json, "'target'", {"met", "reason"});
  TargetRecord target;
  if (!fields.at("met").is_null()) target.met = fields.flag("met");
  target.reason = fields.text("reason");
  return target;
}

TrainingRecord training_from_json(const Json& json) {
  const JsonFields fields(json, "'training'",
                          {"method", "fairness", "lambda", "max_violation", "target", "returned",
                           "merged", "hidden", "epsilon", "delta", "units", "steps", "epochs",
                           "batch", "settings", "data", "protocol", "held_out", "library_version"});
  TrainingRecord record;
  record.method = fields.text("method");
  record.fairness = value_or_throw(parse_fairness_notion(fields.text("fairness")));
  record.lambda = fields.number("lambda");
  record.max_violation = fields.maybe_number("max_violation");
  if (fields.has("target")) record.target = target_from_json(fields.at("target"));
  if (fields.has("returned")) record.returned = fields.text("returned");
  if (fields.has("merged")) {
    const JsonFields merged(fields.at("merged"), "'merged'", {"below", "groups"});
    record.merge_small = merged.count("below");
    record.merged = merged.texts("groups");
  }
  if (fields.has("hidden")) record.hidden = fields.texts("hidden");
  record.epsilon = fields.maybe_number("epsilon");
  record.delta = fields.maybe_number("delta");
  record.units = fields.count("units");
  record.steps = fields.count("steps");
  record.epochs = fields.number("epochs");
  record.batch = fields.count("batch");
  record.settings = settings_from_json(fields.at("settings"));
  record.data = fields.text("data");
  record.protocol = fields.text("protocol");
  record.held_out = held_out_of(fields);
  record.library_version = fields.text("library_version");
  return record;
}

Json released_to_json(const std::vector<ReleasedFigure>& released) {
  Json json = Json::array();
  for (const ReleasedFigure& figure : released) {
    Json entry = {{"name", figure.name}, {"value", figure.value}};
    if (figure.noise_stddev) entry["noise_stddev"] = *figure.noise_stddev;
    json.push_back(std::move(entry));
  }
  return json;
}

ReleasedFigure figure_from_json(const Json& json) {
  const JsonFields fields(json, "a released figure", {"name", "value", "noise_stddev"});
  return {fields.text("name"), fields.number("value"), fields.maybe_number("noise_stddev")};
}

ModelHeader model_header_from_json(const Json& json) {
  const JsonFields fields(
      json, "the header",
      {"model", "training", "privacy", "released", "schema", "pipeline", "network"});
  ModelHeader header;
  spec_from_json(fields.at("model"), header);
  TrainedModel& model = header.model;
  model.training = training_from_json(fields.at("training"));
  model.privacy = value_or_throw(parse_statement(fields.at("privacy").dump()));
  for (const Json& figure : fields.array("released")) {
    model.released.push_back(figure_from_json(figure));
  }
  model.schema = value_or_throw(parse_schema(fields.at("schema").dump(), "schema"));
  model.pipeline = value_or_throw(parse_pipeline(fields.at("pipeline").dump()));
  if (fields.has("network")) network_from_json(fields.at("network"), header);
  return header;
}

}  // namespace

Result<Json> json_of(const TrainedModel& model) {
  Json json = {{"model", spec_to_json(model)},
               {"training", training_to_json(model.training)},
               {"privacy", json_of(model.privacy)},
               {"released", released_to_json(model.released)},
               {"schema", json_of(model.schema)}};
  DPFERMI_TRY(check_names(json["schema"]));
  json["pipeline"] = json_of(model.pipeline);
  if (model.network) json["network"] = network_to_json(*model.network);
  return json;
}

Result<std::string> header_to_json(const TrainedModel& model) {
  DPFERMI_ASSIGN(const Json json, json_of(model));
  return json_text(json);
}

Result<ModelHeader> header_from_json(const std::string& json) {
  return read_json(json, model_header_from_json);
}

}  // namespace dpfermi
