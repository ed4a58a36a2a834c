#pragma once

/// An ONNX graph in the making: values are names, every operator adds one. Opset 15 and ai.onnx.ml
/// 2, double precision except the sums of trees, which are 32-bit floats.

#include <onnx/onnx_pb.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/tree_ensemble.h"

namespace dpfermi {

class OnnxGraph {
 public:
  /// `taken`: names of inputs, which no value made here gets.
  OnnxGraph(onnx::GraphProto& graph, std::span<const std::string> taken);

  /// Inputs have the shape rows x 1.
  std::string number_input(const std::string& column);
  std::string text_input(const std::string& column);

  std::string scalar(double value);
  std::string matrix(std::size_t rows, std::size_t columns, std::span<const double> values);
  std::string integers(std::span<const std::int64_t> values);

  /// The result of one operator.
  std::string add(std::string_view op, const std::vector<std::string>& inputs);
  std::string with_integer(std::string_view op, const std::vector<std::string>& inputs,
                           const std::vector<std::pair<std::string, std::int64_t>>& attributes);
  std::string codes_of_texts(const std::string& texts, const std::vector<std::string>& keys,
                             std::span<const std::int64_t> codes, std::int64_t otherwise);
  std::string texts_of_codes(const std::string& codes, const std::vector<std::string>& texts);

  /// Sums of leaves, rows x outputs, 32-bit floats; `inputs` holds a column for each of x.
  std::string sums_of_trees(const std::string& inputs, const Forest& forest, std::size_t outputs);

  /// Makes a value an output; returns its name, which is `name` unless an input has it.
  std::string output(const std::string& value, std::string name, bool text, std::size_t columns);

 private:
  std::string input(const std::string& column, onnx::TensorProto::DataType type);
  std::string fresh();
  onnx::NodeProto& node(std::string_view op, const std::vector<std::string>& inputs);

  onnx::GraphProto* graph_;
  std::vector<std::string> taken_;
  std::string prefix_ = "dpfermi_";
  std::size_t next_ = 0;
};

}  // namespace dpfermi
