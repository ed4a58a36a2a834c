#pragma once

/// Which function of x gives the logits: everything that shapes the parameters.

#include <cstddef>
#include <vector>

#include "core/outer_products.h"

namespace dpfermi {

/// Without hidden layers: softmax regression. Otherwise tanh layers of these widths and a linear
/// one. With l > 2 classes there are l outputs, the logits; with l = 2 there is one, v, and the
/// logits are (0, v): class 1 has probability sigmoid(v).
struct ModelSpec {
  std::size_t inputs = 0;   ///< d
  std::size_t classes = 2;  ///< l
  std::vector<std::size_t> hidden;
  bool boosted = false;        ///< trees (model/tree_ensemble.h) instead of layers
  std::size_t tree_nodes = 0;  ///< of all trees together; 0 until they are grown

  std::size_t outputs() const { return classes == 2 ? 1 : classes; }

  /// The linear layers, first to last; theta holds their weights one after another, each as
  /// (inputs + 1) x outputs with the bias as last row.
  std::vector<LayerShape> layers() const {
    std::vector<LayerShape> shapes;
    std::size_t width = inputs;
    for (const std::size_t next : hidden) {
      shapes.push_back({width, next});
      width = next;
    }
    shapes.push_back({width, outputs()});
    return shapes;
  }

  std::size_t parameter_count() const {
    constexpr std::size_t kNumbersOfNode = 3;
    if (boosted) return kNumbersOfNode * tree_nodes;
    std::size_t sum = 0;
    for (const LayerShape& layer : layers()) sum += layer.parameters();
    return sum;
  }

  bool operator==(const ModelSpec&) const = default;
};

}  // namespace dpfermi
