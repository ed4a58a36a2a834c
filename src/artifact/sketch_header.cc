// The JSON header of a sketch file.

#include "artifact/sketch_header.h"

#include <limits>

#include "artifact/artifact_json.h"
#include "artifact/framed_file.h"
#include "artifact/held_out_json.h"
#include "data/schema_json.h"
#include "privacy/statement_json.h"

namespace dpfermi {
namespace {

Json features_to_json(const FeatureMapSpec& spec) {
  Json json = {{"kind", to_string(spec.kind)},
               {"extra", spec.extra},
               {"clip_norm", spec.clip_norm},
               {"kappa", spec.kappa}};
  if (spec.kind == FeatureKind::kFourier) json["seed"] = spec.seed;
  if (spec.kind == FeatureKind::kModel) json["model_sha256"] = spec.model_digest;
  return json;
}

FeatureMapSpec features_from_json(const Json& json) {
  const JsonFields fields(json, "'features'",
                          {"kind", "extra", "clip_norm", "kappa", "seed", "model_sha256"});
  FeatureMapSpec spec;
  spec.kind = value_or_throw(parse_feature_kind(fields.text("kind")));
  spec.extra = fields.count("extra");
  spec.clip_norm = fields.number("clip_norm");
  spec.kappa = fields.number("kappa");
  if (spec.kind == FeatureKind::kFourier) spec.seed = fields.count("seed");
  if (spec.kind == FeatureKind::kModel) spec.model_digest = fields.text("model_sha256");
  return spec;
}

Json sums_to_json(const Sketch& sketch) {
  return {{"fairness", to_string(sketch.setting.notion)},
          {"favourable", sketch.setting.favourable},
          {"conditions", sketch.sums.conditions},
          {"size", sketch.sums.size},
          {"noise_stddev", sketch.sums.noise},
          {"units", sketch.units}};
}

std::uint32_t units_of(const JsonFields& fields) {
  const std::uint64_t units = fields.count("units");
  if (units > std::numeric_limits<std::uint32_t>::max()) {
    throw BadJson("'units' of the sketch is too large; make the sketch again");
  }
  return static_cast<std::uint32_t>(units);
}

void sums_from_json(const Json& json, StoredSketch& stored) {
  const JsonFields fields(
      json, "'sketch'", {"fairness", "favourable", "conditions", "size", "noise_stddev", "units"});
  Sketch& sketch = stored.sketch;
  sketch.setting.notion = value_or_throw(parse_fairness_notion(fields.text("fairness")));
  sketch.setting.favourable = fields.count("favourable");
  sketch.sums.conditions = fields.count("conditions");
  sketch.sums.size = fields.count("size");
  sketch.sums.noise = fields.number("noise_stddev");
  sketch.units = units_of(fields);
}

Json part_to_json(const SketchPart& part) {
  return {{"data", printable(part.data, kHeaderText)},
          {"rows", part.rows},
          {"units", part.units},
          {"fingerprint", part.fingerprint},
          {"epsilon", part.cost.epsilon},
          {"delta", part.cost.delta}};
}

SketchPart part_from_json(const Json& json) {
  const JsonFields fields(json, "a part",
                          {"data", "rows", "units", "fingerprint", "epsilon", "delta"});
  return {fields.text("data"), fields.count("rows"), units_of(fields), fields.text("fingerprint"),
          PrivacyCost{fields.number("epsilon"), fields.number("delta")}};
}

StoredSketch stored_from_json(const Json& json) {
  const JsonFields fields(
      json, "the header",
      {"sketch", "features", "privacy", "fingerprint", "target", "classes", "groups", "protected",
       "columns", "held_out", "data", "library_version", "encoding", "parts", "join"});
  StoredSketch stored;
  sums_from_json(fields.at("sketch"), stored);
  stored.sketch.features = features_from_json(fields.at("features"));
  stored.sketch.statement = value_or_throw(parse_statement(fields.at("privacy").dump()));
  stored.fingerprint = fields.text("fingerprint");
  stored.target = fields.text("target");
  stored.classes = fields.texts("classes");
  stored.groups = fields.texts("groups");
  stored.protected_part =
      value_or_throw(parse_schema(fields.at("protected").dump(), "'protected'"));
  stored.columns = fields.texts("columns");
  stored.held_out = held_out_of(fields);
  if (fields.has("join")) stored.join = fields.text("join");
  stored.data = fields.text("data");
  stored.library_version = fields.text("library_version");
  if (fields.has("encoding")) {
    stored.encoding = value_or_throw(parse_encoding(fields.at("encoding").dump(), "'encoding'"));
    for (const Json& part : fields.array("parts")) stored.parts.push_back(part_from_json(part));
  }
  stored.sketch.setting.classes = stored.classes.size();
  stored.sketch.setting.groups = stored.groups.size();
  stored.sketch.sums.groups = stored.groups.size();
  return stored;
}

}  // namespace

Status check_names(const Json& json) {
  try {
    json.dump();
    return {};
  } catch (const Json::exception&) {
    return failed("a name in the schema is not UTF-8 text; rename it");
  }
}

Result<Json> json_of(const StoredSketch& stored) {
  Json json = {{"sketch", sums_to_json(stored.sketch)},
               {"features", features_to_json(stored.sketch.features)},
               {"privacy", json_of(stored.sketch.statement)},
               {"fingerprint", stored.fingerprint},
               {"target", stored.target},
               {"classes", stored.classes},
               {"groups", stored.groups},
               {"protected", json_of(stored.protected_part)},
               {"columns", stored.columns}};
  if (!stored.join.empty()) json["join"] = stored.join;
  DPFERMI_TRY(check_names(json));
  add_held_out(stored.held_out, json);
  // File names may hold any bytes.
  json["data"] = printable(stored.data, kHeaderText);
  json["library_version"] = stored.library_version;
  if (!stored.encoding) return json;
  json["encoding"] = json_of(*stored.encoding);
  DPFERMI_TRY(check_names(json["encoding"]));
  json["parts"] = Json::array();
  for (const SketchPart& part : stored.parts) json["parts"].push_back(part_to_json(part));
  return json;
}

Result<std::string> header_to_json(const StoredSketch& stored) {
  DPFERMI_ASSIGN(const Json json, json_of(stored));
  return json_text(json);
}

Result<StoredSketch> sketch_from_json(const std::string& json) {
  return read_json(json, stored_from_json);
}

}  // namespace dpfermi
