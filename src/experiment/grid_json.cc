// Grids and the specs of runs as JSON.

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
  return json;
}

GridBlock block_from_json(const Json& json) {
  const JsonFields fields(json, "a block of the grid",
                          {"datasets", "protocols", "notions", "methods", "epsilons", "lambdas",
                           "targets", "delta", "adjacency", "hidden"});
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
  return block;
}

Grid grid_from_json(const Json& json) {
  constexpr std::uint64_t kMostSplits = 10'000;
  const JsonFields fields(json, "the grid", {"title", "seed", "splits", "blocks"});
  Grid grid;
  if (fields.has("title")) grid.title = fields.text("title");
  if (fields.has("seed")) grid.seed = fields.count("seed");
  if (fields.has("splits")) {
    if (fields.count("splits") > kMostSplits) throw BadJson("more than 10,000 splits; use fewer");
    grid.splits = static_cast<std::uint32_t>(fields.count("splits"));
  }
  for (const Json& block : fields.array("blocks")) grid.blocks.push_back(block_from_json(block));
  return grid;
}

template <class T>
Json value_or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

std::string to_json(const Grid& grid) {
  Json json = {{"title", grid.title}, {"seed", grid.seed}, {"splits", grid.splits}};
  json["blocks"] = Json::array();
  for (const GridBlock& block : grid.blocks) json["blocks"].push_back(to_json(block));
  return json_text(json);
}

Result<Grid> parse_grid(const std::string& json) {
  return read_json(json, grid_from_json);
}

Json to_json(const RunSpec& spec) {
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
  json["model"] = model_name(spec.hidden);
  if (!spec.hidden.empty()) json["hidden"] = spec.hidden;
  return json;
}

RunSpec spec_from_json(const Json& json) {
  const JsonFields fields(json, "the spec of a run",
                          {"dataset", "protocol", "notion", "method", "epsilon", "delta", "lambda",
                           "target", "split", "seed", "adjacency", "model", "hidden"});
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
  return spec;
}

}  // namespace dpfermi
