#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "data/json_error.h"
#include "data/registry.h"
#include "privacy/json_text.h"

namespace dpfermi {
namespace {

using Json = nlohmann::ordered_json;

/// A plain file name: nothing that could leave the data set's folder.
Status check_file_name(const std::string& name, const std::string& origin) {
  if (!name.empty() && name.find('/') == std::string::npos && name != "." && name != "..")
    return {};
  return failed(fmt::format("{}: '{}' is not a plain file name", origin, name));
}

DatasetFile file_from_json(const Json& json) {
  return {
      .name = json.at("name"),
      .url = json.value("url", ""),
      .archive = json.value("archive", ""),
      .member = json.value("member", ""),
      .sha256 = json.at("sha256"),
  };
}

/// `schema` is that of the first variant; a later one states only what it changes (RFC 7386: a JSON
/// merge patch, in which null removes a key).
Result<DatasetVariant> variant_from_json(const Json& json, Json schema, const std::string& origin) {
  DatasetVariant variant;
  variant.name = json.at("name");
  variant.note = json.value("note", "");
  variant.files = json.at("files");
  variant.images = json.value("images", "");
  if (json.contains("split")) {
    variant.split.by_person = json.at("split").value("by_person", true);
    variant.split.by_duplicate = json.at("split").value("by_duplicate", true);
  }
  schema.merge_patch(json.value("schema", Json::object()));
  DPFERMI_ASSIGN(variant.schema, parse_schema(schema.dump(), origin));
  return variant;
}

Result<DatasetDescriptor> descriptor_from_json(const Json& json, const std::string& origin) {
  DatasetDescriptor dataset;
  dataset.name = json.at("name");
  dataset.title = json.value("title", dataset.name);
  dataset.licence = json.value("licence", "not stated");
  dataset.homepage = json.value("homepage", "");
  dataset.target_name = json.value("target_name", "");
  for (const Json& file : json.at("files")) dataset.files.push_back(file_from_json(file));
  const Json protectable = {{"sensitive", json.value("protectable", Json::array())}};
  DPFERMI_ASSIGN(const Schema choices, parse_schema(protectable.dump(), origin));
  Json base = Json::object();
  for (const Json& variant : json.at("variants")) {
    DPFERMI_ASSIGN(DatasetVariant parsed, variant_from_json(variant, base, origin));
    parsed.protectable = choices.sensitive;
    for (const DatasetFile& file : dataset.files) {
      if (!file.is_zipped()) continue;
      const std::filesystem::path archive(file.archive);
      parsed.packed[file.name] = (archive.filename() / file.member).string();
    }
    if (dataset.variants.empty()) base = variant.value("schema", Json::object());
    dataset.variants.push_back(std::move(parsed));
  }
  DPFERMI_TRY(check_file_name(dataset.name, origin));
  for (const DatasetFile& file : dataset.files) DPFERMI_TRY(check_file_name(file.name, origin));
  if (dataset.variants.empty()) return failed(fmt::format("{}: has no variants", origin));
  return dataset;
}

}  // namespace

Result<DatasetDescriptor> parse_descriptor(const std::string& text, const std::string& origin) {
  if (const Status valid = check_json(text); !valid) {
    return failed(fmt::format("{}: {}", origin, valid.error().message));
  }
  try {
    return descriptor_from_json(Json::parse(text), origin);
  } catch (const Json::exception& error) {
    return failed(
        fmt::format("{}: is not a data set descriptor: {}", origin, json_error_text(error.what())));
  }
}

}  // namespace dpfermi
