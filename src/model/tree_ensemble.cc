#include "model/tree_ensemble.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/vector_math.h"

namespace dpfermi {
namespace {

// Larger whole numbers are not exact in 32 bits.
constexpr float kMostNodesOfTree = 16'777'216;

bool is_whole(float value, float least, float most) {
  return value >= least && value <= most && value == std::floor(value);
}

/// Adds what the trees say about a row, given as a dense one.
void add_leaves(const Forest& forest, std::span<const float> row, std::span<double> outputs) {
  for (std::size_t tree = 0; tree < forest.roots.size(); ++tree) {
    const TreeNode* node = forest.nodes.data() + forest.roots[tree];
    while (!node->leaf()) {
      const bool left = row[static_cast<std::size_t>(node->column)] < node->value;
      node = left ? node + 1 : forest.nodes.data() + node->right;
    }
    outputs[tree % outputs.size()] += node->value;
  }
}

}  // namespace

Status check_trees(const ModelSpec& model, std::span<const float> theta) {
  const auto refuse = [] { return failed("the trees of the model are broken; train again"); };
  if (theta.size() != model.parameter_count() || theta.empty()) return refuse();
  const std::size_t nodes = theta.size() / 3;
  const float last_column = static_cast<float>(model.inputs) - 1;
  std::vector<std::size_t> open;
  std::size_t trees = 0;
  for (std::size_t node = 0; node < nodes; ++node) {
    const float column = theta[3 * node];
    const float right = theta[3 * node + 2];
    if (column == kLeaf) {
      if (right != 0) return refuse();
      if (open.empty()) {
        ++trees;
      } else if (open.back() == node + 1 && node + 1 < nodes) {
        open.pop_back();
      } else {
        return refuse();
      }
      continue;
    }
    if (!is_whole(column, 0, last_column) || !is_whole(right, 2, kMostNodesOfTree)) return refuse();
    open.push_back(node + static_cast<std::size_t>(right));
  }
  return open.empty() && trees > 0 && trees % model.outputs() == 0 ? Status() : refuse();
}

Forest read_forest(std::span<const float> theta) {
  Forest forest;
  // Where the right subtrees of open questions begin; none is open where a tree does.
  std::vector<std::uint32_t> open;
  for (std::size_t at = 0; at < theta.size(); at += 3) {
    const auto here = static_cast<std::uint32_t>(forest.nodes.size());
    if (open.empty()) forest.roots.push_back(here);
    if (!open.empty() && open.back() == here) open.pop_back();
    const auto column = static_cast<std::int32_t>(theta[at]);
    const auto right = here + static_cast<std::uint32_t>(theta[at + 2]);
    forest.nodes.push_back({column, theta[at + 1], right});
    if (column >= 0) open.push_back(right);
  }
  return forest;
}

std::vector<float> tree_probabilities(const ModelSpec& model, std::span<const double> theta,
                                      const HybridMatrix& x) {
  const Forest forest = read_forest(std::vector<float>(theta.begin(), theta.end()));
  const std::size_t l = model.classes;
  std::vector<float> probabilities(x.rows() * l);
  std::vector<float> dense(x.columns() + 1);  // the last column is that of no category
  std::vector<double> outputs(model.outputs());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const HybridMatrix::Row row = x.row(i);
    std::ranges::copy(row.numbers, dense.begin());
    for (const std::uint16_t column : row.ones) dense[column] = 1;
    std::ranges::fill(outputs, 0.0);
    add_leaves(forest, dense, outputs);
    for (const std::uint16_t column : row.ones) dense[column] = 0;
    float* to = probabilities.data() + i * l;
    if (outputs.size() == 1) {
      sigmoid(outputs, 1, outputs);
      to[0] = static_cast<float>(1 - outputs[0]);
      to[1] = static_cast<float>(outputs[0]);
    } else {
      softmax(outputs, l, 1, outputs);
      std::ranges::transform(outputs, to, [](double p) { return static_cast<float>(p); });
    }
  }
  return probabilities;
}

}  // namespace dpfermi
