// Grids and the specs of runs as JSON.

#include <limits>

#include "experiment/grid.h"
#include "experiment/spec_json.h"

namespace dpfermi {
namespace {

template <class T>
std::vector<std::string> names(const std::vector<T>& values) {
  std::vector<std::string> all;
  for (const T& value : values) all.emplace_back(to_string(value));
  return all;
}

Json to_json(const GridBlock& block) {
  Json json = {{"datasets", block.datasets},      {"protocols", names(block.protocols)},
               {"notions", names(block.notions)}, {"methods", block.methods},
               {"epsilons", block.epsilons},      {"lambdas", block.lambdas}};
  if (!block.targets.empty()) json["targets"] = block.targets;
  if (block.delta) json["delta"] = *block.delta;
  if (block.adjacency != Adjacency::kSensitive) json["adjacency"] = to_string(block.adjacency);
  if (!block.hidden.empty()) json["hidden"] = block.hidden;
  if (block.boosted) json["boosted"] = true;
  if (block.splits) json["splits"] = *block.splits;
  return json;
}

std::uint32_t splits_of(const JsonFields& fields) {
  constexpr std::uint64_t kMostSplits = 10'000;
  if (fields.count("splits") > kMostSplits) throw BadJson("more than 10,000 splits; use fewer");
  return static_cast<std::uint32_t>(fields.count("splits"));
}

std::uint32_t least_group_of(const JsonFields& fields) {
  if (!fields.has("least_group")) return 0;
  const std::uint64_t units = fields.count("least_group");
  if (units > std::numeric_limits<std::uint32_t>::max()) {
    throw BadJson("no table has groups as large as that; use a smaller least_group");
  }
  return static_cast<std::uint32_t>(units);
}

GridBlock block_from_json(const Json& json) {
  const JsonFields fields(json, "a block of the grid",
                          {"datasets", "protocols", "notions", "methods", "epsilons", "lambdas",
                           "targets", "delta", "adjacency", "hidden", "boosted", "splits"});
  GridBlock block;
  block.datasets = fields.texts("datasets");
  if (fields.has("protocols")) {
    block.protocols.clear();
    for (const std::string& name : fields.texts("protocols")) {
      block.protocols.push_back(value_or_throw(parse_protocol(name)));
    }
  }
  if (fields.has("notions")) {
    block.notions.clear();
    for (const std::string& name : fields.texts("notions")) {
      block.notions.push_back(value_or_throw(parse_fairness_notion(name)));
    }
  }
  if (fields.has("methods")) block.methods = fields.texts("methods");
  if (fields.has("epsilons")) block.epsilons = fields.numbers("epsilons");
  if (fields.has("lambdas")) block.lambdas = fields.numbers("lambdas");
  if (fields.has("targets")) block.targets = fields.numbers("targets");
  block.delta = fields.maybe_number("delta");
  if (fields.has("adjacency")) {
    block.adjacency = value_or_throw(parse_adjacency(fields.text("adjacency")));
  }
  if (fields.has("hidden")) {
    const std::vector<std::uint64_t> widths = fields.counts("hidden");
    block.hidden.assign(widths.begin(), widths.end());
  }
  block.boosted = fields.has("boosted") && fields.flag("boosted");
  if (fields.has("splits")) block.splits = splits_of(fields);
  return block;
}

Grid grid_from_json(const Json& json) {
  const JsonFields fields(json, "the grid", {"title", "seed", "splits", "least_group", "blocks"});
  Grid grid;
  if (fields.has("title")) grid.title = fields.text("title");
  if (fields.has("seed")) grid.seed = fields.count("seed");
  if (fields.has("splits")) grid.splits = splits_of(fields);
  grid.least_group = least_group_of(fields);
  for (const Json& block : fields.array("blocks")) grid.blocks.push_back(block_from_json(block));
  return grid;
}

template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

Json json_of(const Grid& grid) {
  Json json = {{"title", grid.title}, {"seed", grid.seed}, {"splits", grid.splits}};
  if (grid.least_group > 0) json["least_group"] = grid.least_group;
  json["blocks"] = Json::array();
  for (const GridBlock& block : grid.blocks) json["blocks"].push_back(to_json(block));
  return json;
}

std::string to_json(const Grid& grid) {
  return json_text(json_of(grid));
}

Result<Grid> parse_grid(const std::string& json) {
  return read_json(json, grid_from_json);
}

Json json_of(const RunSpec& spec) {
  Json json = {{"dataset", spec.dataset},
               {"protocol", to_string(spec.protocol)},
               {"notion", to_string(spec.notion)},
               {"method", spec.method},
               {"epsilon", value_or_null(spec.epsilon)},
               {"delta", value_or_null(spec.delta)},
               {"lambda", value_or_null(spec.lambda)}};
  if (spec.target) json["target"] = *spec.target;
  json["split"] = spec.split;
  json["seed"] = value_or_null(spec.seed);
  json["adjacency"] = to_string(spec.adjacency);
  json["model"] = model_name(spec);
  if (!spec.hidden.empty()) json["hidden"] = spec.hidden;
  if (spec.boosted) json["boosted"] = true;
  if (spec.least_group > 0) json["least_group"] = spec.least_group;
  return json;
}

RunSpec spec_from_json(const Json& json) {
  const JsonFields fields(
      json, "the spec of a run",
      {"dataset", "protocol", "notion", "method", "epsilon", "delta", "lambda", "target", "split",
       "seed", "adjacency", "model", "hidden", "boosted", "least_group"});
  RunSpec spec;
  spec.dataset = fields.text("dataset");
  spec.protocol = value_or_throw(parse_protocol(fields.text("protocol")));
  spec.notion = value_or_throw(parse_fairness_notion(fields.text("notion")));
  spec.method = fields.text("method");
  spec.epsilon = fields.maybe_number("epsilon");
  spec.delta = fields.maybe_number("delta");
  spec.lambda = fields.maybe_number("lambda");
  spec.target = fields.maybe_number("target");
  spec.split = static_cast<std::uint32_t>(fields.count("split"));
  if (fields.has("seed")) spec.seed = fields.count("seed");
  spec.adjacency = value_or_throw(parse_adjacency(fields.text("adjacency")));
  if (fields.has("hidden")) {
    const std::vector<std::uint64_t> widths = fields.counts("hidden");
    spec.hidden.assign(widths.begin(), widths.end());
  }
  spec.boosted = fields.has("boosted") && fields.flag("boosted");
  spec.least_group = least_group_of(fields);
  return spec;
}

}  // namespace dpfermi
