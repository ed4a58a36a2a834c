#pragma once

/// Gradient-boosted trees on x and y alone, by XGBoost (docs/decisions/0010-boosted-trees.md).
///
/// Rows are dealt into five folds; rows of a person and identical rows share a fold. Trees are
/// grown on the rows outside of each fold until the loss on the fold has not fallen for
/// `kTreePatience` rounds. The model is grown on all rows in as many rounds as had the least loss
/// on all folds together. Folds follow from the order of rows; nothing is drawn, so that the same
/// rows give the same trees, whatever the seed and the number of threads.

#include <cstddef>
#include <functional>
#include <vector>

#include "data/dataset.h"
#include "dpfermi/core/result.h"
#include "dpfermi/core/workers.h"
#include "model/model_spec.h"

namespace dpfermi {

/// Rounds that may pass without a smaller loss, and the most that are made.
inline constexpr std::size_t kTreePatience = 20;
inline constexpr std::size_t kMostTreeRounds = 1000;

struct BoostedTrees {
  ModelSpec model;
  std::vector<double> theta;       ///< the nodes, as a file holds them (model/tree_ensemble.h)
  std::vector<float> out_of_fold;  ///< rows x l: scores of trees that have not seen the row
  std::size_t rounds = 0;
  /// outputs x inputs: by how much all questions about an input lowered the loss, as XGBoost counts
  /// it (total gain).
  std::vector<double> gains = {};
};

/// Asked on the calling thread after every round there, with how many of the kTreeSets sets of
/// trees are whole; false ends the growing with an error.
using GrowthWatch = std::function<bool(std::size_t sets)>;
inline constexpr std::size_t kTreeSets = 6;

/// Reads x, y, units and weights. Requires data.classes >= 2.
Result<BoostedTrees> grow_trees(const Dataset& data, Workers& workers,
                                const GrowthWatch& watch = {});

}  // namespace dpfermi
