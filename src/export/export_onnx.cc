#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "artifact/model_card.h"
#include "artifact/model_file.h"
#include "dpfermi/core/version.h"
#include "export/formats.h"
#include "export/onnx_graph.h"

namespace dpfermi {
namespace {

constexpr std::int64_t kColumns = 1;  ///< the axis
constexpr int kOpset = 15;
constexpr int kMachineLearningOpset = 2;

/// The rows of a table as the graph sees them.
struct EncodedRows {
  std::string numbers;                ///< rows x numbers, standardised; empty: there are none
  std::string absent;                 ///< rows x numbers, 1 where missing
  std::vector<std::string> category;  ///< codes, rows
};

class OnnxWriter {
 public:
  OnnxWriter(const ExportForm& form, onnx::GraphProto& graph)
      : form_(&form), columns_(columns_of(form)), graph_(graph, columns_) {}

  void write() {
    encode();
    const std::string scores = form_->trees             ? tree_scores()
                               : form_->members.empty() ? given_scores()
                                                        : own_scores();
    const bool repaired = form_->repair.has_value();
    const std::string decision = graph_.with_integer("ArgMax", {repaired ? merits(scores) : scores},
                                                     {{"axis", kColumns}, {"keepdims", 0}});
    graph_.output(graph_.texts_of_codes(decision, form_->classes), "label", true, 0);
    graph_.output(repaired ? indicators(decision) : scores, "probabilities", false,
                  form_->classes.size());
  }

 private:
  void encode() {
    std::vector<std::string> numbers;
    for (const NumberInput& input : form_->numbers) {
      numbers.push_back(graph_.number_input(input.column));
    }
    for (const CategoryInput& input : form_->categories) encode_category(input);
    if (!numbers.empty()) encode_numbers(numbers);
  }

  void encode_category(const CategoryInput& input) {
    const std::string texts = graph_.text_input(input.column);
    std::vector<std::string> keys;
    std::vector<std::int64_t> codes;
    for (const CategoryInput::Meaning& meaning : input.meanings) {
      keys.push_back(meaning.text);
      codes.push_back(static_cast<std::int64_t>(meaning.code));
    }
    // A column without any value that carries weight: encoders need a key.
    if (keys.empty()) {
      keys.emplace_back();
      codes.push_back(static_cast<std::int64_t>(input.none()));
    }
    const std::string encoded =
        graph_.codes_of_texts(texts, keys, codes, static_cast<std::int64_t>(input.none()));
    rows_.category.push_back(
        graph_.add("Reshape", {encoded, graph_.integers(std::array<std::int64_t, 1>{-1})}));
  }

  std::string row_of(double (*value)(const Standardizer&)) {
    std::vector<double> values;
    for (const NumberInput& input : form_->numbers) values.push_back(value(input.standardizer));
    return graph_.matrix(1, values.size(), values);
  }

  void encode_numbers(const std::vector<std::string>& inputs) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::string all = graph_.with_integer("Concat", inputs, {{"axis", kColumns}});
    std::string absent = graph_.add("IsNaN", {all});
    for (const double marker : form_->missing_numbers) {
      absent = graph_.add("Or", {absent, graph_.add("Equal", {all, graph_.scalar(marker)})});
    }
    const std::string low =
        row_of([](const Standardizer& z) { return z.bounds ? z.bounds->first : -kInfinity; });
    const std::string high =
        row_of([](const Standardizer& z) { return z.bounds ? z.bounds->second : kInfinity; });
    const std::string clamped = graph_.add("Min", {graph_.add("Max", {all, low}), high});
    const std::string centred =
        graph_.add("Sub", {clamped, row_of([](const Standardizer& z) { return z.centre; })});
    const std::string scaled =
        graph_.add("Div", {centred, row_of([](const Standardizer& z) { return z.scale; })});
    const std::string present = graph_.add("Where", {absent, graph_.scalar(0), scaled});
    rows_.numbers = cast(cast(present, onnx::TensorProto::FLOAT), onnx::TensorProto::DOUBLE);
    rows_.absent = cast(absent, onnx::TensorProto::DOUBLE);
  }

  std::string cast(const std::string& value, onnx::TensorProto::DataType type) {
    return graph_.with_integer("Cast", {value}, {{"to", type}});
  }

  /// The map without its constant, rows x map.width.
  std::string linear(const LinearMap& map, const std::string& numbers) {
    const std::size_t count = form_->numbers.size();
    std::vector<std::string> terms;
    if (count > 0) {
      terms.push_back(graph_.add(
          "MatMul", {numbers, graph_.matrix(count, map.width,
                                            std::span(map.weights).first(count * map.width))}));
    }
    std::vector<double> absent(count * map.width);
    bool any = false;
    for (std::size_t f = 0; f < count; ++f) {
      if (!form_->numbers[f].absence) continue;
      any = true;
      for (std::size_t j = 0; j < map.width; ++j) {
        absent[f * map.width + j] = map.at(*form_->numbers[f].absence, j);
      }
    }
    if (any) {
      terms.push_back(
          graph_.add("MatMul", {rows_.absent, graph_.matrix(count, map.width, absent)}));
    }
    for (std::size_t f = 0; f < form_->categories.size(); ++f) {
      const CategoryInput& input = form_->categories[f];
      const auto own =
          std::span(map.weights).subspan(input.first * map.width, input.values.size() * map.width);
      std::vector<double> table((input.values.size() + 1) * map.width);  // the last: no input
      std::ranges::copy(own, table.begin());
      terms.push_back(graph_.add(
          "Gather", {graph_.matrix(input.values.size() + 1, map.width, table), rows_.category[f]}));
    }
    return terms.size() == 1 ? terms.front() : graph_.add("Sum", terms);
  }

  std::string plus_constant(const LinearMap& map, const std::string& value) {
    return graph_.add("Add",
                      {value, graph_.matrix(1, map.width, std::span(map.weights).last(map.width))});
  }

  std::string softmax(const std::string& logits) {
    return graph_.with_integer("Softmax", {logits}, {{"axis", kColumns}});
  }

  std::string own_scores() {
    const std::vector<LinearMap>& layers = form_->members.front();
    std::string value = plus_constant(layers[0], linear(layers[0], rows_.numbers));
    for (std::size_t i = 1; i < layers.size(); ++i) {
      const LinearMap& map = layers[i];
      const auto weights = std::span(map.weights).first(map.inputs * map.width);
      value = graph_.add(
          "MatMul", {graph_.add("Tanh", {value}), graph_.matrix(map.inputs, map.width, weights)});
      value = plus_constant(map, value);
    }
    return softmax(value);
  }

  /// Every input of the form as a column, doubles that hold 32-bit floats: comparisons with the
  /// thresholds of trees are then those of `predict`.
  std::string dense_inputs() {
    std::vector<std::string> parts;
    if (!rows_.numbers.empty()) parts.push_back(rows_.numbers);
    std::vector<std::int64_t> told;  // numbers whose absence is an input
    for (std::size_t f = 0; f < form_->numbers.size(); ++f) {
      if (form_->numbers[f].absence) told.push_back(static_cast<std::int64_t>(f));
    }
    if (!told.empty()) {
      parts.push_back(graph_.with_integer("Gather", {rows_.absent, graph_.integers(told)},
                                          {{"axis", kColumns}}));
    }
    for (std::size_t f = 0; f < form_->categories.size(); ++f) {
      const std::size_t count = form_->categories[f].values.size();
      if (count == 0) continue;
      std::vector<double> one_hot((count + 1) * count);  // the last row: no input
      for (std::size_t i = 0; i < count; ++i) one_hot[i * count + i] = 1;
      parts.push_back(
          graph_.add("Gather", {graph_.matrix(count + 1, count, one_hot), rows_.category[f]}));
    }
    return graph_.with_integer("Concat", parts, {{"axis", kColumns}});
  }

  std::string tree_scores() {
    const std::size_t outputs = form_->classes.size() == 2 ? 1 : form_->classes.size();
    const std::string sums = cast(graph_.sums_of_trees(dense_inputs(), *form_->trees, outputs),
                                  onnx::TensorProto::DOUBLE);
    if (outputs > 1) return softmax(sums);
    const std::array<double, 2> second{0, 1};
    return softmax(graph_.add("MatMul", {sums, graph_.matrix(1, 2, second)}));
  }

  /// Scores of another model, in the order of the classes; one without a column is the rest to 1.
  std::string given_scores() {
    std::vector<std::string> given;
    std::vector<std::string> all;
    for (const std::string& column : form_->scores) {
      if (!column.empty()) given.push_back(graph_.number_input(column));
    }
    std::size_t next = 0;
    for (const std::string& column : form_->scores) {
      if (!column.empty()) {
        all.push_back(given[next++]);
        continue;
      }
      const std::string sum = given.size() == 1 ? given.front() : graph_.add("Sum", given);
      const std::string rest = graph_.add("Sub", {graph_.scalar(1), sum});
      all.push_back(graph_.add("Max", {rest, graph_.scalar(0)}));
    }
    return graph_.with_integer("Concat", all, {{"axis", kColumns}});
  }

  /// min(1, R / |x|), rows x 1.
  std::string clip_factor() {
    LinearMap ones{form_->inputs, 1, std::vector<double>(form_->inputs + 1, 1.0)};
    const std::string squares =
        rows_.numbers.empty() ? "" : graph_.add("Mul", {rows_.numbers, rows_.numbers});
    const std::string norm = graph_.add("Sqrt", {linear(ones, squares)});
    return graph_.add("Min", {graph_.scalar(1),
                              graph_.add("Div", {graph_.scalar(form_->repair->clip_norm), norm})});
  }

  /// The negative expected cost of every decision, rows x classes.
  std::string merits(const std::string& scores) {
    const RepairRule& rule = *form_->repair;
    const std::size_t l = form_->classes.size();
    const std::string factor = clip_factor();
    std::vector<std::string> proxies;
    for (const LinearMap& map : form_->proxies) {
      proxies.push_back(
          softmax(plus_constant(map, graph_.add("Mul", {factor, linear(map, rows_.numbers)}))));
    }
    std::vector<std::string> terms;
    for (std::size_t y = 0; y < l; ++y) {
      std::vector<double> gains;
      std::vector<double> alike(l);  // where all groups are alike
      for (std::size_t r = 0; r < rule.groups; ++r) {
        for (std::size_t j = 0; j < l; ++j) {
          gains.push_back(-form_->cost(y, r, j));
          alike[j] += gains.back() / static_cast<double>(rule.groups);
        }
      }
      const std::uint32_t condition = rule.condition_by_label[y];
      const std::string gain =
          condition < proxies.size()
              ? graph_.add("MatMul", {proxies[condition], graph_.matrix(rule.groups, l, gains)})
              : graph_.matrix(1, l, alike);
      const std::array<std::int64_t, 1> own{static_cast<std::int64_t>(y)};
      const std::string score =
          graph_.with_integer("Gather", {scores, graph_.integers(own)}, {{"axis", kColumns}});
      terms.push_back(graph_.add("Mul", {score, gain}));
    }
    return graph_.add("Sum", terms);
  }

  /// 1 for the class that is decided for, 0 for the others.
  std::string indicators(const std::string& decision) {
    std::vector<std::int64_t> classes;
    for (std::size_t j = 0; j < form_->classes.size(); ++j) {
      classes.push_back(static_cast<std::int64_t>(j));
    }
    const std::string column =
        graph_.add("Unsqueeze", {decision, graph_.integers(std::array<std::int64_t, 1>{1})});
    return cast(graph_.add("Equal", {column, graph_.integers(classes)}), onnx::TensorProto::DOUBLE);
  }

  const ExportForm* form_;
  std::vector<std::string> columns_;
  OnnxGraph graph_;
  EncodedRows rows_;
};

void add_metadata(onnx::ModelProto& proto, const std::string& key, const std::string& value) {
  onnx::StringStringEntryProto& entry = *proto.add_metadata_props();
  entry.set_key(key);
  entry.set_value(value);
}

}  // namespace

Result<std::string> export_onnx(const TrainedModel& model) {
  DPFERMI_ASSIGN(const ExportForm form, export_form(model));
  DPFERMI_TRY(check_no_mixture(form, "ONNX"));
  onnx::ModelProto proto;
  proto.set_ir_version(onnx::IR_VERSION);
  proto.set_producer_name("dpfermi");
  proto.set_producer_version(std::string(version()));
  proto.set_domain("dpfermi");
  onnx::OperatorSetIdProto& standard = *proto.add_opset_import();
  standard.set_domain("");
  standard.set_version(kOpset);
  onnx::OperatorSetIdProto& learning = *proto.add_opset_import();
  learning.set_domain("ai.onnx.ml");
  learning.set_version(kMachineLearningOpset);
  proto.mutable_graph()->set_name("dpfermi");
  OnnxWriter(form, *proto.mutable_graph()).write();
  const std::string card = describe_card(model);
  proto.set_doc_string(card);
  DPFERMI_ASSIGN(const std::string digest, model_digest(model));
  add_metadata(proto, "dpfermi.card", card);
  add_metadata(proto, "dpfermi.statement", to_json(model.privacy));
  add_metadata(proto, "dpfermi.digest", digest);
  if (form.repair) add_metadata(proto, "dpfermi.warning", std::string(kProxyWarning));
  std::string bytes;
  if (!proto.SerializeToString(&bytes)) {
    return failed("the model is too large for one ONNX file; export a smaller one");
  }
  return bytes;
}

}  // namespace dpfermi
