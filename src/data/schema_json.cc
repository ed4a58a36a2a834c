// The schema file. One function per direction and struct; unknown keys are errors, because a
// misspelt key would silently change what is protected. "note" is for people and is not read.

#include "data/schema_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <stdexcept>

#include "core/text.h"
#include "data/json_error.h"
#include "privacy/json_text.h"

namespace dpfermi {
namespace {

/// Carries a message out of the nested readers below; caught in parse_schema.
struct BadSchema : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void check_keys(const Json& json, const std::string& where,
                std::initializer_list<std::string> known) {
  if (!json.is_object()) throw BadSchema(fmt::format("{} must be an object", where));
  const std::vector<std::string> names(known);
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::find(names, key) != names.end()) continue;
    const auto guess = nearest_name(key, names);
    throw BadSchema(fmt::format("unknown key '{}' in {}{}", key, where,
                                guess ? fmt::format("; did you mean '{}'?", *guess) : ""));
  }
}

template <class T>
void read_into(const Json& json, const char* key, T& value) {
  if (json.contains(key)) value = json.at(key).get<T>();
}

Json format_to_json(const CsvFormat& format) {
  const CsvFormat defaults;
  Json json = Json::object();
  if (format.delimiter) json["delimiter"] = std::string(1, *format.delimiter);
  if (format.header != HeaderRule::kAuto) json["header"] = format.header == HeaderRule::kYes;
  if (!format.names.empty()) json["names"] = format.names;
  if (format.skip_lines != 0) json["skip_lines"] = format.skip_lines;
  if (!format.comment.empty()) json["comment"] = format.comment;
  if (format.missing != defaults.missing) json["missing_markers"] = format.missing;
  return json;
}

CsvFormat format_from_json(const Json& json) {
  check_keys(json, "format",
             {"delimiter", "header", "names", "skip_lines", "comment", "missing_markers"});
  CsvFormat format;
  if (json.contains("delimiter")) {
    const std::string delimiter = json.at("delimiter");
    if (delimiter.size() != 1) throw BadSchema("the delimiter must be one character");
    format.delimiter = delimiter[0];
  }
  if (json.contains("header")) {
    format.header = json.at("header").get<bool>() ? HeaderRule::kYes : HeaderRule::kNo;
  }
  read_into(json, "names", format.names);
  read_into(json, "skip_lines", format.skip_lines);
  read_into(json, "comment", format.comment);
  read_into(json, "missing_markers", format.missing);
  return format;
}

Json target_to_json(const TargetSpec& target) {
  Json json = {{"column", target.column}};
  if (!target.positive.empty()) json["positive"] = target.positive;
  if (!target.bins.empty()) json["bins"] = target.bins;
  if (!target.values.empty()) json["values"] = target.values;
  return json;
}

TargetSpec target_from_json(const Json& json) {
  check_keys(json, "target", {"column", "positive", "bins", "values", "note"});
  TargetSpec target;
  target.column = json.at("column").get<std::string>();
  read_into(json, "positive", target.positive);
  read_into(json, "bins", target.bins);
  read_into(json, "values", target.values);
  return target;
}

Json sensitive_to_json(const SensitiveSpec& spec) {
  Json json = {{"column", spec.column}};
  if (!spec.values.empty()) json["values"] = spec.values;
  if (!spec.bins.empty()) json["bins"] = spec.bins;
  if (!spec.other.empty()) json["other"] = spec.other;
  return json;
}

SensitiveSpec sensitive_from_json(const Json& json) {
  check_keys(json, "sensitive", {"column", "values", "bins", "other", "note"});
  SensitiveSpec spec;
  spec.column = json.at("column").get<std::string>();
  read_into(json, "values", spec.values);
  read_into(json, "bins", spec.bins);
  read_into(json, "other", spec.other);
  return spec;
}

Json column_to_json(const ColumnSpec& spec) {
  Json json = Json::object();
  if (spec.type) json["type"] = to_string(*spec.type);
  if (!spec.values.empty()) json["values"] = spec.values;
  if (spec.bounds) json["bounds"] = {spec.bounds->first, spec.bounds->second};
  if (!spec.recode.empty()) json["recode"] = spec.recode;
  return json;
}

ColumnSpec column_from_json(const Json& json, const std::string& name) {
  const std::string where = fmt::format("column '{}'", name);
  check_keys(json, where, {"type", "values", "bounds", "recode", "note"});
  ColumnSpec spec;
  if (json.contains("type")) {
    const std::string type = json.at("type");
    if (type != "numeric" && type != "categorical") {
      throw BadSchema(fmt::format("{} has type '{}'; use numeric or categorical", where, type));
    }
    spec.type = type == "numeric" ? ColumnType::kNumeric : ColumnType::kCategorical;
  }
  read_into(json, "values", spec.values);
  if (json.contains("bounds")) {
    const auto bounds = json.at("bounds").get<std::vector<double>>();
    if (bounds.size() != 2 || !(bounds[0] < bounds[1])) {
      throw BadSchema(fmt::format("the bounds of {} must be [low, high]", where));
    }
    spec.bounds = {bounds[0], bounds[1]};
  }
  read_into(json, "recode", spec.recode);
  return spec;
}

Schema schema_from_json(const Json& json) {
  check_keys(json, "the schema",
             {"adjacency", "format", "target", "sensitive", "groups_from_data", "sensitive_file",
              "join", "sensitive_features", "id", "image", "weight", "scores", "score_prefix",
              "drop", "columns", "missing", "note"});
  Schema schema;
  if (json.contains("format")) schema.format = format_from_json(json.at("format"));
  if (json.contains("target")) schema.target = target_from_json(json.at("target"));
  for (const Json& spec : json.value("sensitive", Json::array())) {
    schema.sensitive.push_back(sensitive_from_json(spec));
  }
  read_into(json, "groups_from_data", schema.groups_from_data);
  read_into(json, "sensitive_features", schema.sensitive_features);
  read_into(json, "sensitive_file", schema.sensitive_file);
  read_into(json, "join", schema.join);
  read_into(json, "id", schema.id);
  read_into(json, "image", schema.image);
  read_into(json, "weight", schema.weight);
  read_into(json, "scores", schema.scores);
  read_into(json, "score_prefix", schema.score_prefix);
  read_into(json, "drop", schema.drop);
  const Json columns = json.value("columns", Json::object());
  for (const auto& [name, spec] : columns.items()) {
    schema.columns[name] = column_from_json(spec, name);
  }
  if (json.contains("adjacency")) {
    const auto adjacency = parse_adjacency(json.at("adjacency").get<std::string>());
    if (!adjacency) throw BadSchema(adjacency.error().message);
    schema.adjacency = *adjacency;
  }
  if (json.contains("missing")) {
    const auto policy = parse_missing_policy(json.at("missing").get<std::string>());
    if (!policy) throw BadSchema(policy.error().message);
    schema.missing = *policy;
  }
  return schema;
}

}  // namespace

Json json_of(const Schema& schema) {
  Json json = {{"adjacency", to_string(schema.adjacency)}};
  if (const Json format = format_to_json(schema.format); !format.empty()) json["format"] = format;
  if (!schema.target.column.empty()) json["target"] = target_to_json(schema.target);
  if (!schema.sensitive.empty()) {
    json["sensitive"] = Json::array();
    for (const SensitiveSpec& spec : schema.sensitive) {
      json["sensitive"].push_back(sensitive_to_json(spec));
    }
  }
  if (schema.groups_from_data) json["groups_from_data"] = true;
  if (!schema.sensitive_file.empty()) {
    json["sensitive_file"] = schema.sensitive_file;
    json["join"] = schema.join;
  }
  if (!schema.sensitive_features.empty()) json["sensitive_features"] = schema.sensitive_features;
  if (!schema.id.empty()) json["id"] = schema.id;
  if (!schema.image.empty()) json["image"] = schema.image;
  if (!schema.weight.empty()) json["weight"] = schema.weight;
  if (!schema.scores.empty()) json["scores"] = schema.scores;
  if (!schema.score_prefix.empty()) json["score_prefix"] = schema.score_prefix;
  if (!schema.drop.empty()) json["drop"] = schema.drop;
  for (const auto& [name, spec] : schema.columns) json["columns"][name] = column_to_json(spec);
  json["missing"] = to_string(schema.missing);
  return json;
}

std::string to_json(const Schema& schema) {
  return json_of(schema).dump(2);
}

Result<Schema> parse_schema(const std::string& text, const std::string& origin) {
  if (const Status valid = check_json(text); !valid) {
    return failed(fmt::format("{}: {}", origin, valid.error().message));
  }
  try {
    const Json json = Json::parse(text);
    // `datasets describe --json` prints the schema beside facts about the table.
    return schema_from_json(json.is_object() && json.contains("schema") ? json.at("schema") : json);
  } catch (const BadSchema& error) {
    return failed(fmt::format("{}: {}", origin, error.what()));
  } catch (const Json::exception& error) {
    return failed(
        fmt::format("{}: is not a schema file: {}", origin, json_error_text(error.what())));
  }
}

}  // namespace dpfermi
