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
/// that it ends inside its tree. Nothing but this file reads trees, and it needs no library.

#include <span>
#include <vector>

#include "data/hybrid_matrix.h"
#include "dpfermi/core/result.h"
#include "model/model_spec.h"

namespace dpfermi {

/// Marks a leaf in place of a column.
inline constexpr float kLeaf = -1;

/// Refuses numbers that are not whole trees over `model.inputs` columns, as many for every output.
Status check_trees(const ModelSpec& model, std::span<const float> theta);

/// Class probabilities (rows x l). Requires theta that check_trees accepts and x of model.inputs
/// columns.
std::vector<float> tree_probabilities(const ModelSpec& model, std::span<const double> theta,
                                      const HybridMatrix& x);

}  // namespace dpfermi
