// sweep.json: what a sweep was asked for.

#include "experiment/run_store.h"
#include "privacy/json_fields.h"

namespace dpfermi {

std::string to_json(const SweepDescription& description) {
  return json_text({{"title", description.title},
                    {"stamp", description.stamp},
                    {"command", description.command},
                    {"version", description.version},
                    {"grid", Json::parse(to_json(description.grid))},
                    {"tables", description.tables}});
}

Result<SweepDescription> parse_sweep(const std::string& json) {
  return read_json(json, [](const Json& parsed) {
    const JsonFields fields(parsed, "sweep.json",
                            {"title", "stamp", "command", "version", "grid", "tables"});
    SweepDescription description{fields.text("title"),
                                 fields.text("stamp"),
                                 fields.text("command"),
                                 fields.text("version"),
                                 value_or_throw(parse_grid(fields.at("grid").dump())),
                                 {}};
    if (!fields.has("tables")) return description;  // of an earlier version
    for (const auto& [name, digest] : fields.at("tables").items()) {
      if (!digest.is_string()) throw BadJson("a table of sweep.json has no digest; sweep anew");
      description.tables[name] = digest.get<std::string>();
    }
    return description;
  });
}

}  // namespace dpfermi
