#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "artifact/artifact_json.h"
#include "dpfermi/methods/registry.h"

namespace dpfermi {
namespace {

constexpr std::array kDualRules = {DualRule::kAscent, DualRule::kBestResponse};
constexpr std::array kIterateRules = {IterateRule::kLast, IterateRule::kAverage,
                                      IterateRule::kRandom};

template <class Owner, class T>
struct Field {
  const char* name;
  T Owner::*member;
};

constexpr Field<TrainingPlan, double> kNumbers[] = {
    {"lambda", &TrainingPlan::lambda},
    {"tau", &TrainingPlan::tau},
    {"q", &TrainingPlan::q},
    {"theta_rate", &TrainingPlan::theta_rate},
    {"rate_per_lambda", &TrainingPlan::rate_per_lambda},
    {"rate_cap", &TrainingPlan::rate_cap},
    {"w_rate", &TrainingPlan::w_rate},
    {"clip_norm", &TrainingPlan::clip_norm},
    {"table_weight", &TrainingPlan::table_weight},
    {"smoothing", &TrainingPlan::smoothing},
    {"noise_multiplier", &TrainingPlan::noise_multiplier},
    {"counts_sigma", &TrainingPlan::counts_sigma},
    {"query_noise", &TrainingPlan::query_noise},
    {"epsilon", &TrainingPlan::certified_epsilon},
    {"delta", &TrainingPlan::delta}};

constexpr Field<TrainingPlan, std::uint64_t> kCounts[] = {
    {"favourable", &TrainingPlan::favourable}, {"groups", &TrainingPlan::groups},
    {"steps", &TrainingPlan::steps},           {"random_iterate", &TrainingPlan::random_iterate},
    {"queries", &TrainingPlan::queries},       {"spare_steps", &TrainingPlan::spare_steps}};

constexpr Field<TrainingPlan, std::uint32_t> kSmallCounts[] = {{"units", &TrainingPlan::units},
                                                               {"batch", &TrainingPlan::batch}};

constexpr Field<PaperNumbers, double> kPaperNumbers[] = {
    {"lipschitz", &PaperNumbers::lipschitz},
    {"diameter", &PaperNumbers::diameter},
    {"rho", &PaperNumbers::rho},
    {"sigma_theta", &PaperNumbers::sigma_theta},
    {"sigma_w", &PaperNumbers::sigma_w},
    {"theta_bound", &PaperNumbers::theta_bound},
    {"w_bound", &PaperNumbers::w_bound},
    {"claimed_epsilon", &PaperNumbers::claimed_epsilon},
    {"epsilon_given_shares", &PaperNumbers::given_shares}};

/// Infinity (no cap, no guarantee) has no JSON number.
Json number_or_null(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

double number_or_infinity(const JsonFields& fields, const std::string& key) {
  return fields.at(key).is_null() ? std::numeric_limits<double>::infinity() : fields.number(key);
}

Json model_to_json(const ModelSpec& model) {
  Json json = {{"inputs", model.inputs}, {"classes", model.classes}, {"hidden", model.hidden}};
  if (model.boosted) json["boosted"] = true;
  return json;
}

ModelSpec model_from_json(const Json& json) {
  const JsonFields fields(json, "'model'", {"inputs", "classes", "hidden", "boosted"});
  ModelSpec model;
  model.inputs = fields.count("inputs");
  model.classes = fields.count("classes");
  for (const std::uint64_t width : fields.counts("hidden")) model.hidden.push_back(width);
  model.boosted = fields.has("boosted") && fields.flag("boosted");
  return model;
}

Json paper_to_json(const PaperNumbers& paper) {
  Json json;
  for (const auto& [name, member] : kPaperNumbers) json[name] = number_or_null(paper.*member);
  return json;
}

PaperNumbers paper_from_json(const Json& json) {
  std::vector<std::string> known;
  for (const auto& field : kPaperNumbers) known.emplace_back(field.name);
  const JsonFields fields(json, "'paper'", known);
  PaperNumbers paper;
  for (const auto& [name, member] : kPaperNumbers) {
    paper.*member = number_or_infinity(fields, name);
  }
  return paper;
}

/// For people; a run of this kind has no checkpoints to read it back from.
Json sketch_to_json(const SketchPlan& sketch) {
  return {{"features", to_string(sketch.features.kind)},
          {"size", sketch.size},
          {"clip_norm", sketch.features.clip_norm},
          {"kappa", sketch.features.kappa},
          {"noise_multiplier", sketch.noise_multiplier},
          {"residual_rounds", sketch.rounds},
          {"residual_noise_multiplier", sketch.round_noise_multiplier}};
}

std::vector<std::string> known_keys() {
  std::vector<std::string> known = {"method",      "fairness", "adjacency", "model",
                                    "dual",        "iterate",  "paper",     "max_violation",
                                    "ideal_noise", "mixtures", "network",   "merge_small"};
  for (const auto& field : kNumbers) known.emplace_back(field.name);
  for (const auto& field : kCounts) known.emplace_back(field.name);
  for (const auto& field : kSmallCounts) known.emplace_back(field.name);
  return known;
}

TrainingPlan plan_from_json(const Json& json) {
  const JsonFields fields(json, "the plan", known_keys());
  TrainingPlan plan;
  plan.method = value_or_throw(parse_method(fields.text("method")));
  if (plan.method->is_baseline()) throw BadJson("the method has no plan; train again");
  plan.notion = value_or_throw(parse_fairness_notion(fields.text("fairness")));
  plan.adjacency = value_or_throw(parse_adjacency(fields.text("adjacency")));
  plan.model = model_from_json(fields.at("model"));
  plan.dual = value_or_throw(parse_dual_rule(fields.text("dual")));
  plan.iterate = value_or_throw(parse_iterate_rule(fields.text("iterate")));
  for (const auto& [name, member] : kNumbers) plan.*member = number_or_infinity(fields, name);
  for (const auto& [name, member] : kCounts) plan.*member = fields.count(name);
  for (const auto& [name, member] : kSmallCounts) {
    const std::uint64_t value = fields.count(name);
    if (value > std::numeric_limits<std::uint32_t>::max()) {
      throw BadJson(fmt::format("the key '{}' of the plan is too large; train again", name));
    }
    plan.*member = static_cast<std::uint32_t>(value);
  }
  if (fields.has("network")) plan.network_parameters = fields.count("network");
  if (fields.has("merge_small")) {
    plan.merge_small = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(fields.count("merge_small"), UINT32_MAX));
  }
  plan.max_violation = fields.maybe_number("max_violation");
  plan.ideal_noise = fields.flag("ideal_noise");
  plan.mixtures = fields.flag("mixtures");
  if (fields.has("paper")) plan.own = paper_from_json(fields.at("paper"));
  return plan;
}

}  // namespace

std::string_view name_of(DualRule rule) {
  return rule == DualRule::kAscent ? "ascent" : "best-response";
}

std::string_view name_of(IterateRule rule) {
  switch (rule) {
    case IterateRule::kLast:
      return "last";
    case IterateRule::kAverage:
      return "average";
    case IterateRule::kRandom:
      return "random";
  }
  return "unknown";
}

Result<DualRule> parse_dual_rule(std::string_view text) {
  for (const DualRule rule : kDualRules) {
    if (text == name_of(rule)) return rule;
  }
  return usage_error(
      fmt::format("unknown rule for W '{}': use ascent or best-response", printable(text)));
}

Result<IterateRule> parse_iterate_rule(std::string_view text) {
  for (const IterateRule rule : kIterateRules) {
    if (text == name_of(rule)) return rule;
  }
  return usage_error(
      fmt::format("unknown iterate '{}': use last, average or random", printable(text)));
}

Json json_of(const TrainingPlan& plan) {
  Json json = {{"method", to_string(plan.method)},
               {"fairness", to_string(plan.notion)},
               {"adjacency", to_string(plan.adjacency)},
               {"model", model_to_json(plan.model)},
               {"dual", name_of(plan.dual)},
               {"iterate", name_of(plan.iterate)}};
  for (const auto& [name, member] : kCounts) json[name] = plan.*member;
  for (const auto& [name, member] : kSmallCounts) json[name] = plan.*member;
  for (const auto& [name, member] : kNumbers) json[name] = number_or_null(plan.*member);
  if (plan.network_parameters > 0) json["network"] = plan.network_parameters;
  if (plan.max_violation) json["max_violation"] = *plan.max_violation;
  json["ideal_noise"] = plan.ideal_noise;
  json["mixtures"] = plan.mixtures;
  if (plan.merge_small > 0) json["merge_small"] = plan.merge_small;
  if (plan.paper()) json["paper"] = paper_to_json(*plan.paper());
  if (plan.sketch()) json["sketch"] = sketch_to_json(*plan.sketch());
  return json;
}

std::string to_json(const TrainingPlan& plan) {
  return json_text(json_of(plan));
}

Result<TrainingPlan> parse_plan(const std::string& json) {
  return read_json(json, plan_from_json);
}

}  // namespace dpfermi
