// Pipelines as JSON.

#include <array>

#include "preprocess/pipeline.h"
#include "privacy/json_fields.h"

namespace dpfermi {
namespace {

Provenance provenance_from_text(const std::string& text) {
  constexpr std::array kAll = {Provenance::kPublic, Provenance::kGiven, Provenance::kReleased};
  for (const Provenance candidate : kAll) {
    if (text == to_string(candidate)) return candidate;
  }
  throw BadJson(
      fmt::format("unknown provenance '{}': use public, given or released", printable(text)));
}

Json to_json(const NumericFeature& feature) {
  const Standardizer& z = feature.standardizer;
  Json json = {{"column", feature.column}, {"centre", z.centre}, {"scale", z.scale}};
  if (z.bounds) json["bounds"] = {z.bounds->first, z.bounds->second};
  json["constant"] = z.constant;
  json["missing_indicator"] = feature.missing_indicator;
  json["provenance"] = to_string(z.provenance);
  return json;
}

NumericFeature numeric_from_json(const Json& json) {
  const JsonFields fields(
      json, "a numeric feature",
      {"column", "centre", "scale", "bounds", "constant", "missing_indicator", "provenance"});
  NumericFeature feature;
  feature.column = fields.text("column");
  feature.missing_indicator = fields.flag("missing_indicator");
  Standardizer& z = feature.standardizer;
  z.centre = fields.number("centre");
  z.scale = fields.number("scale");
  if (fields.has("bounds")) {
    const std::vector<double> bounds = fields.numbers("bounds");
    if (bounds.size() != 2) throw BadJson("the bounds of a numeric feature are [low, high]");
    z.bounds = {bounds[0], bounds[1]};
  }
  z.constant = fields.flag("constant");
  z.provenance = provenance_from_text(fields.text("provenance"));
  return feature;
}

Json to_json(const CategoryFeature& feature) {
  return {{"column", feature.column},
          {"values", feature.categories.values},
          {"provenance", to_string(feature.categories.provenance)}};
}

CategoryFeature category_from_json(const Json& json) {
  const JsonFields fields(json, "a categorical feature", {"column", "values", "provenance"});
  return {fields.text("column"),
          {fields.texts("values"), provenance_from_text(fields.text("provenance"))}};
}

Pipeline pipeline_from_json(const Json& json) {
  const JsonFields fields(json, "a pipeline", {"numeric", "categorical"});
  std::vector<NumericFeature> numeric;
  std::vector<CategoryFeature> categories;
  for (const Json& feature : fields.array("numeric")) {
    numeric.push_back(numeric_from_json(feature));
  }
  for (const Json& feature : fields.array("categorical")) {
    categories.push_back(category_from_json(feature));
  }
  return value_or_throw(Pipeline::create(std::move(numeric), std::move(categories)));
}

}  // namespace

std::string to_json(const Pipeline& pipeline) {
  Json json = {{"numeric", Json::array()}, {"categorical", Json::array()}};
  for (const NumericFeature& feature : pipeline.numeric()) {
    json["numeric"].push_back(to_json(feature));
  }
  for (const CategoryFeature& feature : pipeline.categories()) {
    json["categorical"].push_back(to_json(feature));
  }
  return json_text(json);
}

Result<Pipeline> parse_pipeline(const std::string& text) {
  return read_json(text, pipeline_from_json);
}

}  // namespace dpfermi
