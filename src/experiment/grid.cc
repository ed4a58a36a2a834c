#include "experiment/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/text.h"

namespace dpfermi {
namespace {

Status check_numbers(const std::vector<double>& numbers, const char* name, double least) {
  for (const double number : numbers) {
    if (!std::isfinite(number) || number < least) {
      return usage_error(
          fmt::format("{} are numbers of at least {}, not {}", name, least, shortest(number)));
    }
  }
  return {};
}

Status check_block(const GridBlock& block) {
  if (block.datasets.empty() || block.protocols.empty() || block.notions.empty() ||
      block.methods.empty()) {
    return usage_error("a block of the grid needs data sets, protocols, notions and methods");
  }
  constexpr double kLeastEpsilon = 1e-6;
  DPFERMI_TRY(check_numbers(block.epsilons, "epsilons", kLeastEpsilon));
  DPFERMI_TRY(check_numbers(block.lambdas, "lambdas", 0));
  DPFERMI_TRY(check_numbers(block.targets, "targets", 0));
  if (!features_are_public(block.adjacency)) {
    return usage_error(
        "sweeps hold rows out for testing, which needs public features; use adjacency sensitive");
  }
  return {};
}

/// One value of lambda or one target.
struct Weight {
  std::optional<double> lambda, target;
};

std::vector<Weight> weights_of(const GridBlock& block, Method method) {
  if (!method->takes_lambda() && !method->takes_target()) return {{0.0, {}}};
  std::vector<Weight> weights;
  if (method->is_free_line()) {
    for (const double share : method->parity_values) weights.push_back({share, {}});
    return weights;
  }
  if (method->takes_lambda()) {
    for (const double lambda : block.lambdas) weights.push_back({lambda, {}});
  }
  if (method->takes_target()) {
    for (const double target : block.targets) weights.push_back({{}, target});
  }
  return weights;
}

std::vector<std::optional<double>> epsilons_of(const GridBlock& block, Method method) {
  if (!method->is_private()) return {std::nullopt};
  return {block.epsilons.begin(), block.epsilons.end()};
}

class Expansion {
 public:
  Expansion(const Grid& grid, bool reproducible) : grid_(grid), reproducible_(reproducible) {}

  Status add(const GridBlock& block) {
    DPFERMI_TRY(check_block(block));
    for (const std::string& dataset : block.datasets) {
      for (const Protocol protocol : block.protocols) {
        for (const FairnessNotion notion : block.notions) {
          for (const std::string& name : block.methods) {
            DPFERMI_ASSIGN(const Method method, known_method(name));
            DPFERMI_TRY(add_method(block, {dataset, protocol, notion, name}, method));
          }
        }
      }
    }
    return {};
  }

  std::vector<RunSpec> take() { return std::move(runs_); }

 private:
  Status add_method(const GridBlock& block, RunSpec spec, Method method) {
    const std::vector<Weight> weights = weights_of(block, method);
    const auto epsilons = epsilons_of(block, method);
    if (weights.empty()) {
      return usage_error(fmt::format("{} needs {}; give some", method->name,
                                     !method->takes_target()   ? "lambdas"
                                     : !method->takes_lambda() ? "targets"
                                                               : "lambdas or targets"));
    }
    if (epsilons.empty())
      return usage_error(fmt::format("{} needs epsilons; give some", method->name));
    spec.adjacency = block.adjacency;
    spec.hidden = block.hidden;
    spec.boosted = block.boosted && method->takes_trees;
    spec.least_group = grid_.least_group;
    if (method->is_private()) spec.delta = block.delta;
    for (const auto& epsilon : epsilons) {
      for (const Weight& weight : weights) {
        spec.epsilon = epsilon;
        spec.lambda = weight.lambda;
        spec.target = weight.target;
        DPFERMI_TRY(add_splits(spec, std::min(grid_.splits, block.splits.value_or(grid_.splits))));
      }
    }
    return {};
  }

  Status add_splits(RunSpec spec, std::uint32_t splits) {
    for (spec.split = 0; spec.split < splits; ++spec.split) {
      const std::string key = run_key(spec);
      if (!known_.insert(key).second) continue;
      if (reproducible_) {
        DPFERMI_ASSIGN(spec.seed, run_seed(grid_.seed, key));
      }
      runs_.push_back(spec);
    }
    return {};
  }

  const Grid& grid_;
  bool reproducible_;
  std::unordered_set<std::string> known_;
  std::vector<RunSpec> runs_;
};

}  // namespace

Result<std::vector<RunSpec>> expand(const Grid& grid, bool reproducible) {
  if (grid.blocks.empty() || grid.splits == 0) {
    return usage_error("the grid is empty; give at least one block and one split");
  }
  Expansion expansion(grid, reproducible);
  for (const GridBlock& block : grid.blocks) DPFERMI_TRY(expansion.add(block));
  return expansion.take();
}

}  // namespace dpfermi
