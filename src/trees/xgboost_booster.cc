#include "trees/xgboost_booster.h"

#include <fmt/format.h>
#include <xgboost/c_api.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "core/text.h"
#include "model/tree_ensemble.h"

namespace dpfermi {
namespace {

using Json = nlohmann::json;

/// XGBoost returns 0 where all is well; its messages begin with the time and a line of its sources,
/// and have several lines and a stack trace. The same rows must give the same message.
Status checked(int code) {
  if (code == 0) return {};
  std::string text = XGBGetLastError();
  text = text.substr(0, text.find('\n'));
  const std::size_t check = text.find("Check failed");
  if (check != std::string::npos) text.erase(0, check);
  return failed(fmt::format("XGBoost cannot grow trees on these rows: {}", printable(text)));
}

void free_rows(void* handle) {
  XGDMatrixFree(handle);
}

void free_booster(void* handle) {
  XGBoosterFree(handle);
}

/// One tree as XGBoost prints it.
struct ToldTree {
  std::vector<std::int64_t> left, right, column;
  std::vector<double> value;      ///< threshold, or the value of a leaf
  std::vector<double> gain;       ///< by how much a question lowered the loss
  std::vector<bool> absent_left;  ///< where rows without the column go
};

std::vector<bool> flags_of(const Json& json) {
  std::vector<bool> flags;
  for (const Json& flag : json) {
    flags.push_back(flag.is_boolean() ? flag.get<bool>() : flag.get<int>() != 0);
  }
  return flags;
}

/// Throws where something is missing.
ToldTree told_tree(const Json& json) {
  ToldTree tree{json.at("left_children").get<std::vector<std::int64_t>>(),
                json.at("right_children").get<std::vector<std::int64_t>>(),
                json.at("split_indices").get<std::vector<std::int64_t>>(),
                json.at("split_conditions").get<std::vector<double>>(),
                json.at("loss_changes").get<std::vector<double>>(),
                flags_of(json.at("default_left"))};
  return tree;
}

/// Appends the subtree at `node`, left before right.
void append_subtree(const ToldTree& tree, std::size_t node, std::size_t numbers, GrownTree& grown) {
  std::vector<double>& nodes = grown.nodes;
  const auto child = [&](bool left) {
    return static_cast<std::size_t>(left ? tree.left[node] : tree.right[node]);
  };
  const double value = static_cast<float>(tree.value[node]);
  if (tree.left[node] < 0) {
    for (const double number : {static_cast<double>(kLeaf), value, 0.0}) nodes.push_back(number);
    return;
  }
  const auto column = static_cast<std::size_t>(tree.column[node]);
  std::array children = {child(true), child(false)};
  double threshold = value;
  if (column >= numbers) {
    // A one is there or is absent; either may be below the threshold.
    constexpr double kBetween = 0.5;
    children = {child(tree.absent_left[node]), child(1 < value)};
    threshold = kBetween;
    if (children[0] == children[1]) return append_subtree(tree, children[0], numbers, grown);
  }
  grown.gains[column] += tree.gain[node];
  const std::size_t here = nodes.size();
  for (const double number : {static_cast<double>(column), threshold, 0.0}) nodes.push_back(number);
  append_subtree(tree, children[0], numbers, grown);
  const std::size_t further = (nodes.size() - here) / 3;
  nodes[here + 2] = static_cast<double>(further);
  append_subtree(tree, children[1], numbers, grown);
}

std::vector<GrownTree> trees_in(const Json& json, std::size_t numbers) {
  std::vector<GrownTree> trees;
  for (const Json& tree : json.at("learner").at("gradient_booster").at("model").at("trees")) {
    append_subtree(told_tree(tree), 0, numbers, trees.emplace_back());
  }
  return trees;
}

}  // namespace

BoosterRows::BoosterRows(void* handle) : handle_(handle, free_rows) {}

Result<BoosterRows> BoosterRows::create(const HybridMatrix& x, std::span<const std::uint32_t> rows,
                                        std::span<const std::uint16_t> labels,
                                        std::span<const float> weights) {
  std::vector<std::size_t> starts = {0};
  std::vector<unsigned> columns;
  std::vector<float> values, own_labels, own_weights;
  for (const std::uint32_t i : rows) {
    const HybridMatrix::Row row = x.row(i);
    for (std::size_t j = 0; j < row.numbers.size(); ++j) {
      columns.push_back(static_cast<unsigned>(j));
      values.push_back(row.numbers[j]);
    }
    for (const std::uint16_t column : row.ones) {
      if (column == x.columns()) continue;
      columns.push_back(column);
      values.push_back(1);
    }
    starts.push_back(columns.size());
    own_labels.push_back(labels[i]);
    own_weights.push_back(weights[i]);
  }
  DMatrixHandle handle = nullptr;
  DPFERMI_TRY(
      checked(XGDMatrixCreateFromCSREx(starts.data(), columns.data(), values.data(), starts.size(),
                                       columns.size(), x.columns(), &handle)));
  BoosterRows made(handle);
  DPFERMI_TRY(
      checked(XGDMatrixSetFloatInfo(handle, "label", own_labels.data(), own_labels.size())));
  DPFERMI_TRY(
      checked(XGDMatrixSetFloatInfo(handle, "weight", own_weights.data(), own_weights.size())));
  return made;
}

Booster::Booster(void* handle, const BoosterRows& rows, const BoosterRows* held_out)
    : handle_(handle, free_booster), rows_(&rows), held_out_(held_out) {}

Result<Booster> Booster::create(const ModelSpec& model, const BoosterRows& rows,
                                const BoosterRows* held_out) {
  // What XGBoost knows beforehand it updates a round at a time.
  std::vector<DMatrixHandle> known = {rows.handle()};
  if (held_out != nullptr) known.push_back(held_out->handle());
  BoosterHandle handle = nullptr;
  DPFERMI_TRY(checked(XGBoosterCreate(known.data(), known.size(), &handle)));
  Booster booster(handle, rows, held_out);
  std::vector<std::pair<std::string, std::string>> settings = {
      {"objective", model.classes == 2 ? "binary:logistic" : "multi:softprob"},
      {"base_score", "0.5"},  // an output of 0, or the same for all classes
      {"tree_method", "hist"},
      {"max_bin", "256"},
      {"max_depth", "6"},
      {"eta", "0.1"},
      {"lambda", "1"},
      {"nthread", "1"},
      {"verbosity", "0"},
  };
  if (model.classes > 2) settings.emplace_back("num_class", std::to_string(model.classes));
  for (const auto& [name, value] : settings) {
    DPFERMI_TRY(checked(XGBoosterSetParam(handle, name.c_str(), value.c_str())));
  }
  return booster;
}

Status Booster::add_round() {
  return checked(XGBoosterUpdateOneIter(handle_.get(), round_++, rows_->handle()));
}

Result<std::vector<float>> Booster::held_out_outputs() {
  constexpr const char* kOutputs =
      R"({"type": 1, "training": false, "iteration_begin": 0, "iteration_end": 0,
          "strict_shape": true})";
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* outputs = nullptr;
  DPFERMI_TRY(checked(XGBoosterPredictFromDMatrix(handle_.get(), held_out_->handle(), kOutputs,
                                                  &shape, &dimensions, &outputs)));
  std::size_t size = 1;
  for (bst_ulong i = 0; i < dimensions; ++i) size *= shape[i];
  return std::vector<float>(outputs, outputs + size);
}

Result<std::vector<GrownTree>> Booster::trees(std::size_t numbers) {
  bst_ulong size = 0;
  const char* text = nullptr;
  DPFERMI_TRY(
      checked(XGBoosterSaveModelToBuffer(handle_.get(), R"({"format": "json"})", &size, &text)));
  try {
    return trees_in(Json::parse(text, text + size), numbers);
  } catch (const Json::exception&) {
    return failed("XGBoost describes its trees in a way that is not known; use version 1.7");
  }
}

}  // namespace dpfermi
