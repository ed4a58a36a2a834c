#include "artifact/shared_encoding.h"

#include <fmt/format.h>

#include <cmath>

#include "artifact/artifact_json.h"
#include "data/schema_json.h"
#include "preprocess/pipeline_json.h"

namespace dpfermi {
namespace {

constexpr std::uint64_t kEncodingVersion = 1;

SharedEncoding encoding_from_json(const Json& json) {
  const JsonFields fields(json, "an encoding",
                          {"dpfermi_encoding", "schema", "pipeline", "clip_norm", "kappa"});
  if (fields.count("dpfermi_encoding") != kEncodingVersion) {
    throw BadJson("the encoding was made by another version of dpfermi; make it again");
  }
  SharedEncoding encoding{
      value_or_throw(parse_schema(fields.at("schema").dump(), "'schema'")),
      value_or_throw(parse_pipeline(fields.at("pipeline").dump())),
      fields.number("clip_norm"),
      fields.number("kappa"),
  };
  if (!(encoding.clip_norm > 0 && std::isfinite(encoding.clip_norm) && encoding.kappa > 0 &&
        std::isfinite(encoding.kappa))) {
    throw BadJson("'clip_norm' and 'kappa' are positive numbers; correct them");
  }
  if (encoding.schema.adjacency != Adjacency::kSensitive || encoding.schema.sensitive.empty()) {
    throw BadJson("an encoding is for adjacency sensitive and names the protected columns");
  }
  return encoding;
}

}  // namespace

Json json_of(const SharedEncoding& encoding) {
  return {{"dpfermi_encoding", kEncodingVersion},
          {"schema", json_of(encoding.schema)},
          {"pipeline", json_of(encoding.pipeline)},
          {"clip_norm", encoding.clip_norm},
          {"kappa", encoding.kappa}};
}

Result<std::string> to_json(const SharedEncoding& encoding) {
  const Json json = json_of(encoding);
  DPFERMI_TRY(check_names(json));
  return json_text(json) + "\n";
}

Result<SharedEncoding> parse_encoding(const std::string& json, const std::string& origin) {
  auto encoding = read_json(json, encoding_from_json);
  if (encoding) return encoding;
  return failed(fmt::format("{}: {}; 'dpfermi sketch encoding' makes an encoding file", origin,
                            encoding.error().message));
}

}  // namespace dpfermi
