#pragma once

/// Boosted trees at work: output o of a row is the sum of the leaves that it reaches in the trees
/// o, o + outputs, o + 2 outputs, ...; class probabilities are the softmax of the outputs, of two
/// classes the sigmoid of one.
///
/// The parameters are the nodes of all trees, one tree after another, each before its children and
/// all of its left subtree before its right one. A node is three numbers:
///
///   a question   column of x, threshold, how many nodes further its right child is;
///                the left child is the next node. Left: x[column] < threshold
///   a leaf       -1, its value, 0
///
/// Every step goes forward, so that a walk ends whatever the numbers are; check_trees() makes sure
/// that it ends inside its tree. Code that walks or exports trees reads them by read_forest().

#include <cstdint>
#include <span>
#include <vector>

#include "data/hybrid_matrix.h"
#include "dpfermi/core/result.h"
#include "model/model_spec.h"

namespace dpfermi {

/// Marks a leaf instead of a column.
inline constexpr float kLeaf = -1;

/// Refuses numbers that are not whole trees over `model.inputs` columns, as many for every output.
Status check_trees(const ModelSpec& model, std::span<const float> theta);

/// A node in words that a walk can use.
struct TreeNode {
  std::int32_t column;  ///< negative: a leaf
  float value;          ///< threshold or leaf
  std::uint32_t right;  ///< index of the right child; that of the left one is the next

  bool leaf() const { return column < 0; }
};

/// All trees; tree t adds to output t modulo model.outputs().
struct Forest {
  std::vector<TreeNode> nodes;
  std::vector<std::uint32_t> roots;  ///< rising; a tree ends where the next one begins
};

/// Requires theta that check_trees accepts.
Forest read_forest(std::span<const float> theta);

/// Class probabilities (rows x l). Requires theta that check_trees accepts and x of model.inputs
/// columns.
std::vector<float> tree_probabilities(const ModelSpec& model, std::span<const double> theta,
                                      const HybridMatrix& x);

}  // namespace dpfermi
