#include <fmt/format.h>

#include "artifact/model_card.h"
#include "artifact/model_file.h"
#include "export/formats.h"
#include "privacy/statement_json.h"

namespace dpfermi {
namespace {

constexpr int kVersion = 1;

std::vector<double> row(const LinearMap& map, std::size_t input) {
  std::vector<double> weights;
  for (std::size_t j = 0; j < map.width; ++j) weights.push_back(map.at(input, j));
  return weights;
}

Json number_json(const NumberInput& input) {
  const Standardizer& z = input.standardizer;
  Json json = {
      {"column", input.column}, {"type", "number"}, {"centre", z.centre}, {"scale", z.scale}};
  if (z.bounds) json["bounds"] = {z.bounds->first, z.bounds->second};
  return json;
}

Json category_json(const CategoryInput& input) {
  Json json = {{"column", input.column}, {"type", "category"}, {"values", input.values}};
  Json read_as = Json::array();
  for (const CategoryInput::Meaning& meaning : input.meanings) {
    if (meaning.text == input.values[meaning.code]) continue;
    read_as.push_back({{"text", meaning.text}, {"value", input.values[meaning.code]}});
  }
  if (!read_as.empty()) json["read_as"] = std::move(read_as);
  json["missing_is"] =
      input.missing < input.none() ? Json(input.values[input.missing]) : Json(nullptr);
  return json;
}

Json input_json(const InputName& input) {
  Json json = {{"column", input.column}};
  if (input.absence) json["missing"] = true;
  if (input.value) json["value"] = *input.value;
  return json;
}

/// One entry for every input, with its weights by output.
Json named_map(const ExportForm& form, const LinearMap& map) {
  const std::vector<InputName> names = input_names(form);
  Json weights = Json::array();
  for (std::size_t i = 0; i < names.size(); ++i) {
    weights.push_back(input_json(names[i]));
    weights.back()["weights"] = row(map, i);
  }
  return {{"constant", row(map, map.inputs)}, {"coefficients", std::move(weights)}};
}

Json layer_json(const LinearMap& map) {
  Json weights = Json::array();
  for (std::size_t i = 0; i < map.inputs; ++i) weights.push_back(row(map, i));
  return {{"constant", row(map, map.inputs)}, {"weights", std::move(weights)}};
}

Json member_json(const ExportForm& form, const std::vector<LinearMap>& layers) {
  Json json = Json::array({named_map(form, layers[0])});
  for (std::size_t i = 1; i < layers.size(); ++i) json.push_back(layer_json(layers[i]));
  return json;
}

/// Nodes by their index in the list of all trees.
Json forest_json(const ExportForm& form) {
  Json nodes = Json::array();
  for (std::size_t at = 0; at < form.trees->nodes.size(); ++at) {
    const TreeNode& node = form.trees->nodes[at];
    nodes.push_back(node.leaf() ? Json({{"leaf", node.value}})
                                : Json({{"input", node.column},
                                        {"below", node.value},
                                        {"then", at + 1},
                                        {"else", node.right}}));
  }
  Json inputs = Json::array();
  for (const InputName& input : input_names(form)) inputs.push_back(input_json(input));
  return {{"inputs", inputs}, {"roots", form.trees->roots}, {"nodes", nodes}};
}

Json repair_json(const ExportForm& form, const std::vector<std::string>& groups) {
  const RepairRule& rule = *form.repair;
  Json proxies = Json::array();
  for (const LinearMap& map : form.proxies) proxies.push_back(named_map(form, map));
  Json conditions = Json::array();
  for (const std::uint32_t c : rule.condition_by_label) {
    conditions.push_back(c < form.proxies.size() ? Json(c) : Json(nullptr));
  }
  return {{"groups", groups},
          {"clip_norm", rule.clip_norm},
          {"proxies", std::move(proxies)},
          {"proxy_by_label", std::move(conditions)},
          {"costs", rule.costs}};
}

Json rules(const ExportForm& form) {
  Json text = Json::array(
      {"number: z = (value - centre) / scale, the value cut to its bounds, rounded to a 32-bit "
       "float; 0 where it is missing, that is null, NaN or equal to a number in 'missing'; the "
       "input with 'missing': true, if there is one, is 1 where the number is missing and else 0",
       "category: a text is read as its value by 'read_as', else as itself; the input of that "
       "value is 1, the others 0; a text that stands for none has no weight; no text (null) is "
       "read as 'missing_is', and where that is null it has no weight"});
  text.push_back(
      form.trees
          ? "trees: a walk begins at each root and goes to 'then' where the input is smaller than "
            "'below', as 32-bit floats, and else to 'else'; the leaves of the roots j, j + l, j + "
            "2 l, ... sum to the output of class j, l being the number of classes; with two "
            "classes all leaves sum to the output of the second, and that of the first is 0; the "
            "softmax of the outputs gives the probability of every class, the largest decides, "
            "the first of equal ones"
          : "layer: the sum of weights times inputs, plus the constant; tanh between layers; the "
            "softmax of the last gives the probability of every class, the largest decides, the "
            "first of equal ones");
  if (form.repair) {
    text.push_back(
        "repair: p(group | x, label) is the softmax of min(1, clip_norm / |x|) times the sum of "
        "weights times inputs, plus the constant, by the proxy of the label, or the same for all "
        "groups; decide for the class j of least sum over labels y and groups r of probability(y) "
        "p(r | x, y) cost(y, r, j); costs are listed by member (of a mixture), label, group and "
        "decision");
  }
  if (form.mixture()) {
    text.push_back(
        "mixture: one member decides, drawn by a public hash of the encoded row "
        "(src/model/decision_rule.cc)");
  }
  return text;
}

}  // namespace

Result<std::string> export_json(const TrainedModel& model) {
  DPFERMI_ASSIGN(const ExportForm form, export_form(model));
  DPFERMI_ASSIGN(const std::string digest, model_digest(model));
  Json json = {{"dpfermi_export", kVersion}, {"digest", digest}};
  if (form.repair) json["warning"] = kProxyWarning;
  json["target"] = model.schema.target.column;
  json["classes"] = form.classes;
  json["favourable"] = form.classes[model.favourable];
  json["missing"] = model.schema.format.missing;
  Json inputs = Json::array();
  for (const NumberInput& input : form.numbers) inputs.push_back(number_json(input));
  for (const CategoryInput& input : form.categories) inputs.push_back(category_json(input));
  json["inputs"] = std::move(inputs);
  if (!form.scores.empty()) json["scores"] = form.scores;
  Json members = Json::array();
  for (const std::vector<LinearMap>& layers : form.members) {
    members.push_back(member_json(form, layers));
  }
  json["members"] = std::move(members);
  if (form.trees) json["trees"] = forest_json(form);
  if (form.mixture()) json["weights"] = form.weights;
  if (form.repair) json["repair"] = repair_json(form, model.groups);
  json["rules"] = rules(form);
  json["statement"] = json_of(model.privacy);
  json["card"] = describe_card(model);
  return json_text(json) + "\n";
}

}  // namespace dpfermi
