#include "export/onnx_graph.h"

#include <algorithm>

#include "core/text.h"

namespace dpfermi {
namespace {

using onnx::AttributeProto;
using onnx::TensorProto;

void set_shape(onnx::ValueInfoProto& value, TensorProto::DataType type, std::size_t columns) {
  onnx::TypeProto::Tensor& tensor = *value.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(type);
  tensor.mutable_shape()->add_dim()->set_dim_param("rows");
  if (columns > 0) {
    tensor.mutable_shape()->add_dim()->set_dim_value(static_cast<std::int64_t>(columns));
  }
}

AttributeProto& attribute(onnx::NodeProto& node, const std::string& name,
                          AttributeProto::AttributeType type) {
  AttributeProto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

/// The parallel lists that a TreeEnsembleRegressor holds: one entry per node, one per leaf.
class TreeAttributes {
 public:
  explicit TreeAttributes(onnx::NodeProto& node) {
    for (const auto& [name, list] : {std::pair("nodes_treeids", &trees_),
                                     {"nodes_nodeids", &nodes_},
                                     {"nodes_featureids", &columns_},
                                     {"nodes_truenodeids", &lefts_},
                                     {"nodes_falsenodeids", &rights_},
                                     {"target_treeids", &leaf_trees_},
                                     {"target_nodeids", &leaf_nodes_},
                                     {"target_ids", &leaf_outputs_}}) {
      *list = &attribute(node, name, AttributeProto::INTS);
    }
    modes_ = &attribute(node, "nodes_modes", AttributeProto::STRINGS);
    thresholds_ = &attribute(node, "nodes_values", AttributeProto::FLOATS);
    leaves_ = &attribute(node, "target_weights", AttributeProto::FLOATS);
  }

  /// `right`: number of the right child in the tree; the left one follows its parent.
  void add(std::size_t tree, std::size_t number, const TreeNode& node, std::size_t right) {
    put(trees_, tree);
    put(nodes_, number);
    put(columns_, node.leaf() ? 0 : static_cast<std::size_t>(node.column));
    put(lefts_, node.leaf() ? 0 : number + 1);
    put(rights_, node.leaf() ? 0 : right);
    modes_->add_strings(node.leaf() ? "LEAF" : "BRANCH_LT");
    thresholds_->add_floats(node.leaf() ? 0 : node.value);
  }

  void add_leaf(std::size_t tree, std::size_t number, std::size_t output, const TreeNode& node) {
    put(leaf_trees_, tree);
    put(leaf_nodes_, number);
    put(leaf_outputs_, output);
    leaves_->add_floats(node.value);
  }

 private:
  static void put(AttributeProto* list, std::size_t value) {
    list->add_ints(static_cast<std::int64_t>(value));
  }

  AttributeProto *trees_, *nodes_, *columns_, *lefts_, *rights_;
  AttributeProto *leaf_trees_, *leaf_nodes_, *leaf_outputs_;
  AttributeProto *modes_, *thresholds_, *leaves_;
};

}  // namespace

OnnxGraph::OnnxGraph(onnx::GraphProto& graph, std::span<const std::string> taken)
    : graph_(&graph), taken_(taken.begin(), taken.end()) {
  const auto clashes = [&](const std::string& name) { return name.starts_with(prefix_); };
  while (std::ranges::any_of(taken_, clashes)) prefix_ += "_";
}

std::string OnnxGraph::fresh() {
  return prefix_ + std::to_string(next_++);
}

std::string OnnxGraph::input(const std::string& column, TensorProto::DataType type) {
  onnx::ValueInfoProto& value = *graph_->add_input();
  value.set_name(column);
  set_shape(value, type, 1);
  return column;
}

std::string OnnxGraph::number_input(const std::string& column) {
  return input(column, TensorProto::DOUBLE);
}

std::string OnnxGraph::text_input(const std::string& column) {
  return input(column, TensorProto::STRING);
}

std::string OnnxGraph::scalar(double value) {
  TensorProto& tensor = *graph_->add_initializer();
  tensor.set_name(fresh());
  tensor.set_data_type(TensorProto::DOUBLE);
  tensor.add_double_data(value);
  return tensor.name();
}

std::string OnnxGraph::matrix(std::size_t rows, std::size_t columns,
                              std::span<const double> values) {
  TensorProto& tensor = *graph_->add_initializer();
  tensor.set_name(fresh());
  tensor.set_data_type(TensorProto::DOUBLE);
  tensor.add_dims(static_cast<std::int64_t>(rows));
  tensor.add_dims(static_cast<std::int64_t>(columns));
  for (const double value : values) tensor.add_double_data(value);
  return tensor.name();
}

std::string OnnxGraph::integers(std::span<const std::int64_t> values) {
  TensorProto& tensor = *graph_->add_initializer();
  tensor.set_name(fresh());
  tensor.set_data_type(TensorProto::INT64);
  tensor.add_dims(static_cast<std::int64_t>(values.size()));
  for (const std::int64_t value : values) tensor.add_int64_data(value);
  return tensor.name();
}

onnx::NodeProto& OnnxGraph::node(std::string_view op, const std::vector<std::string>& inputs) {
  onnx::NodeProto& node = *graph_->add_node();
  node.set_op_type(std::string(op));
  for (const std::string& name : inputs) node.add_input(name);
  node.add_output(fresh());
  node.set_name(node.output(0));
  return node;
}

std::string OnnxGraph::add(std::string_view op, const std::vector<std::string>& inputs) {
  return node(op, inputs).output(0);
}

std::string OnnxGraph::with_integer(
    std::string_view op, const std::vector<std::string>& inputs,
    const std::vector<std::pair<std::string, std::int64_t>>& attributes) {
  onnx::NodeProto& made = node(op, inputs);
  for (const auto& [name, value] : attributes) {
    attribute(made, name, AttributeProto::INT).set_i(value);
  }
  return made.output(0);
}

std::string OnnxGraph::codes_of_texts(const std::string& texts,
                                      const std::vector<std::string>& keys,
                                      std::span<const std::int64_t> codes, std::int64_t otherwise) {
  onnx::NodeProto& made = node("LabelEncoder", {texts});
  made.set_domain("ai.onnx.ml");
  AttributeProto& from = attribute(made, "keys_strings", AttributeProto::STRINGS);
  for (const std::string& key : keys) from.add_strings(key);
  AttributeProto& to = attribute(made, "values_int64s", AttributeProto::INTS);
  for (const std::int64_t code : codes) to.add_ints(code);
  attribute(made, "default_int64", AttributeProto::INT).set_i(otherwise);
  return made.output(0);
}

std::string OnnxGraph::texts_of_codes(const std::string& codes,
                                      const std::vector<std::string>& texts) {
  onnx::NodeProto& made = node("LabelEncoder", {codes});
  made.set_domain("ai.onnx.ml");
  AttributeProto& from = attribute(made, "keys_int64s", AttributeProto::INTS);
  AttributeProto& to = attribute(made, "values_strings", AttributeProto::STRINGS);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    from.add_ints(static_cast<std::int64_t>(i));
    to.add_strings(texts[i]);
  }
  return made.output(0);
}

std::string OnnxGraph::sums_of_trees(const std::string& inputs, const Forest& forest,
                                     std::size_t outputs) {
  onnx::NodeProto& made = node("TreeEnsembleRegressor", {inputs});
  made.set_domain("ai.onnx.ml");
  attribute(made, "n_targets", AttributeProto::INT).set_i(static_cast<std::int64_t>(outputs));
  TreeAttributes to(made);
  for (std::size_t tree = 0; tree < forest.roots.size(); ++tree) {
    const std::size_t root = forest.roots[tree];
    const std::size_t end =
        tree + 1 < forest.roots.size() ? forest.roots[tree + 1] : forest.nodes.size();
    for (std::size_t at = root; at < end; ++at) {
      to.add(tree, at - root, forest.nodes[at], forest.nodes[at].right - root);
      if (forest.nodes[at].leaf()) to.add_leaf(tree, at - root, tree % outputs, forest.nodes[at]);
    }
  }
  return made.output(0);
}

std::string OnnxGraph::output(const std::string& value, std::string name, bool text,
                              std::size_t columns) {
  while (contains(taken_, name)) name += "_";
  onnx::NodeProto& made = node("Identity", {value});
  made.set_output(0, name);
  onnx::ValueInfoProto& info = *graph_->add_output();
  info.set_name(name);
  set_shape(info, text ? TensorProto::STRING : TensorProto::DOUBLE, columns);
  return name;
}

}  // namespace dpfermi
