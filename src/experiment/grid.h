#pragma once

/// The runs of an experiment: blocks of data sets x notions x methods x epsilons x lambdas, each
/// run on every split. Written as JSON by people and by the tool (docs/experiments.md):
///
///   {"title": "Adult", "seed": 1, "splits": 5,
///    "blocks": [{"datasets": ["adult"], "notions": ["demographic-parity"],
///                "methods": ["dp-fermi", "fermi"], "epsilons": [0.5, 1], "lambdas": [0, 1, 2]}]}

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dpfermi/core/result.h"
#include "experiment/run_spec.h"

namespace dpfermi {

/// A product. Methods that promise no privacy run once whatever the epsilons, and those without a
/// fairness term once whatever the lambdas.
struct GridBlock {
  std::vector<std::string> datasets;
  std::vector<Protocol> protocols{Protocol::kHonest};
  std::vector<FairnessNotion> notions{FairnessNotion::kDemographicParity};
  std::vector<std::string> methods{"dp-fermi"};
  std::vector<double> epsilons{1};
  std::optional<double> delta;
  std::vector<double> lambdas;
  std::vector<double> targets;  ///< of the violation, for lambdas that are steered
  Adjacency adjacency = Adjacency::kSensitive;
  std::vector<std::size_t> hidden;
  bool boosted = false;                 ///< trees, where a method takes them
  std::optional<std::uint32_t> splits;  ///< fewer than the grid has
};

struct Grid {
  std::string title;
  std::uint64_t seed = 1;  ///< of splits and, in research sweeps, of noise
  std::uint32_t splits = 5;
  std::uint32_t least_group = 0;  ///< as in RunSpec, for all runs alike
  std::vector<GridBlock> blocks;
};

/// Every run once, in the order of the blocks: data set, protocol, notion, method, epsilon, lambda,
/// split, as they are listed. `reproducible` gives every run its seed. Refuses unknown methods,
/// numbers that no run can have, and an empty grid.
Result<std::vector<RunSpec>> expand(const Grid& grid, bool reproducible);

/// A JSON text that parse_grid reads back exactly. Unknown keys are refused.
std::string to_json(const Grid& grid);
Result<Grid> parse_grid(const std::string& json);

}  // namespace dpfermi
