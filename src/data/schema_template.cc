#include "data/schema_template.h"

#include <fmt/format.h>

#include "data/schema_json.h"

namespace dpfermi {
namespace {

Json open_target(const TargetSpec& target) {
  return {{"column", target.column},
          {"values", target.values},
          {"positive", target.positive},
          {"note", "values: all classes, in order; positive: the favourable one"}};
}

/// By the declaration; what the table holds is not for a file.
Json sensitive_columns(const Schema& schema) {
  Json all = Json::array();
  for (const SensitiveSpec& spec : schema.sensitive) {
    const bool declared = !spec.values.empty() || !spec.bins.empty();
    Json entry = {{"column", spec.column}};
    if (!spec.bins.empty()) {
      entry["bins"] = spec.bins;
    } else {
      entry["values"] =
          declared && !schema.groups_from_data ? spec.values : std::vector<std::string>();
    }
    if (!spec.other.empty()) entry["other"] = spec.other;
    if (!declared || schema.groups_from_data) {
      entry["note"] =
          "fill in the groups: values [\"a\", \"b\"], or bins [25, 40, 60] for a number";
    }
    all.push_back(std::move(entry));
  }
  return all;
}

Json open_column(const ColumnSpec& spec) {
  Json entry = Json::object();
  if (spec.bounds) {
    entry["bounds"] = {spec.bounds->first, spec.bounds->second};
  } else if (!spec.values.empty()) {
    entry["values"] = spec.values;
  } else {
    entry["note"] =
        "fill in one of: bounds [low, high] for a number; values [\"a\", \"b\"] for categories";
  }
  return entry;
}

/// A remark, its settings named as a schema names them.
std::string in_schema_terms(std::string remark) {
  const std::pair<std::string_view, std::string_view> names[] = {
      {"`categorical`", "\"type\": \"categorical\""},
      {"`numeric`", "\"type\": \"numeric\""},
      {"`drop`", "\"drop\""},
      {"`id`", "\"id\""}};
  for (const auto& [field, key] : names) {
    for (auto at = remark.find(field); at != std::string::npos; at = remark.find(field)) {
      remark.replace(at, field.size(), key);
    }
  }
  return remark;
}

/// `suggested`: by the remarks about it, since nothing was declared.
Json known_column(const Column& column, const ColumnProfile& profile, const ColumnSpec& spec,
                  bool suggested) {
  const bool numeric =
      std::holds_alternative<NumericColumn>(column.data) && !(suggested && profile.categorical);
  Json entry = {{"type", to_string(numeric ? ColumnType::kNumeric : ColumnType::kCategorical)}};
  if (spec.bounds) entry["bounds"] = {spec.bounds->first, spec.bounds->second};
  if (!spec.values.empty()) entry["values"] = spec.values;
  if (!spec.recode.empty()) entry["recode"] = spec.recode;
  std::string note;
  for (const std::string& remark : profile.remarks) {
    note += (note.empty() ? "" : "; ") + in_schema_terms(remark);
  }
  if (!note.empty()) entry["note"] = note;
  return entry;
}

}  // namespace

std::string schema_template(const Table& table, const TableProfile& profile,
                            const Schema& declared) {
  Schema rest = table.schema;
  rest.adjacency = declared.adjacency;
  rest.groups_from_data = false;
  rest.columns.clear();
  Json json = json_of(rest);
  const bool closed = features_are_public(declared.adjacency);
  if (!rest.target.column.empty() && !closed) json["target"] = open_target(rest.target);
  if (!rest.sensitive.empty()) json["sensitive"] = sensitive_columns(table.schema);
  Json columns = Json::object();
  std::vector<std::string> drop = rest.drop;
  for (std::size_t c = 0; c < table.features.size(); ++c) {
    const Column& column = table.features[c];
    const auto found = declared.columns.find(column.name);
    const bool undeclared = found == declared.columns.end();
    const ColumnSpec spec = undeclared ? ColumnSpec() : found->second;
    columns[column.name] =
        closed ? known_column(column, profile.columns[c], spec, undeclared) : open_column(spec);
    const bool copies_s = repeated_sensitive(declared, column.name) != nullptr;
    if (closed && profile.columns[c].drop && (undeclared || copies_s)) drop.push_back(column.name);
  }
  if (!drop.empty()) json["drop"] = drop;
  json["columns"] = std::move(columns);
  json["note"] =
      drop.empty() ? "To leave out a column, list it: \"drop\": [\"name\"]."
                   : "Columns in the list \"drop\" are left out; the notes say why. Add a name to "
                     "leave out another column, take one off to use it.";
  return json.dump(2) + "\n";
}

}  // namespace dpfermi
