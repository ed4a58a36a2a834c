#include "capi/request_json.h"

#include "artifact/plan_json.h"
#include "capi/json_request.h"
#include "dpfermi/methods/registry.h"

namespace dpfermi::capi {
namespace {

/// An object whose keys are columns and whose values are of type T.
template <class T>
void read_columns(JsonRequest& request, const std::string& key, std::map<std::string, T>& into) {
  const Json* value = request.find(key);
  if (value == nullptr) return;
  JsonRequest columns(*value, key + ".");
  for (const auto& [column, item] : value->items()) columns.read(column, into[column]);
}

Schema read_schema(const Json& json) {
  return value_or_throw(parse_schema(json.dump(), "`schema`"));
}

FeatureMapSpec read_features(const Json& json) {
  FeatureMapSpec spec;
  JsonRequest request(json, "features.");
  request.read_as("kind", spec.kind, parse_feature_kind);
  request.read("extra", spec.extra);
  request.read("seed", spec.seed);
  request.read("clip_norm", spec.clip_norm);
  request.read("kappa", spec.kappa);
  request.finish();
  return spec;
}

/// Nested as errors name its fields.
void read_checkpoint(const Json& json, RunOptions& options) {
  JsonRequest request(json, "checkpoint.");
  request.read("file", options.checkpoint);
  request.read("every", options.checkpoint_every);
  request.read("resume", options.resume);
  request.finish();
}

void read_amount(JsonRequest& request, const std::string& key, Amount& into, Rounding rounding) {
  double value = 0;
  request.read(key, value);
  const Result<Amount> amount = Amount::from(value, rounding);
  if (!amount) throw BadJson(fmt::format("`{}`: {}", key, amount.error().message));
  into = *amount;
}

}  // namespace

Result<LoadOptions> parse_load_options(const std::string& json) {
  return read_request(json, [](JsonRequest& request) {
    LoadOptions options;
    request.read("target", options.target);
    request.read("positive", options.positive);
    request.read("sensitive", options.sensitive);
    read_columns(request, "sensitive_values", options.sensitive_values);
    read_columns(request, "sensitive_bins", options.sensitive_bins);
    request.read("groups_from_data", options.groups_from_data);
    request.read("id", options.id);
    request.read("weight", options.weight);
    request.read("drop", options.drop);
    request.read_as("adjacency", options.adjacency, parse_adjacency);
    request.read("test_fraction", options.test_fraction);
    request.read("split_seed", options.split_seed);
    if (const Json* schema = request.find("schema")) options.schema = read_schema(*schema);
    return options;
  });
}

Result<TrainingRequest> parse_training_request(const std::string& json) {
  return read_request(json, [](JsonRequest& request) {
    TrainingRequest training;
    request.read_as("method", training.method, parse_method);
    request.read_as("notion", training.notion, parse_fairness_notion);
    request.read_as("adjacency", training.adjacency, parse_adjacency);
    request.read("epsilon", training.epsilon);
    request.read("delta", training.delta);
    request.read("lambda", training.lambda);
    request.read("max_violation", training.max_violation);
    request.read("hidden", training.hidden);
    request.read("boosted", training.boosted);
    request.read("epochs", training.epochs);
    request.read("batch", training.batch);
    request.read("tau", training.tau);
    request.read("clip_norm", training.clip_norm);
    request.read("theta_rate", training.theta_rate);
    request.read("w_rate", training.w_rate);
    request.read("w_radius", training.w_radius);
    request.read_as("dual", training.dual, parse_dual_rule);
    request.read_as("iterate", training.iterate, parse_iterate_rule);
    request.read("theorem_plan", training.theorem_plan);
    request.read("declared_units", training.declared_units);
    if (const Json* features = request.find("features")) {
      training.features = read_features(*features);
    }
    request.read("mixtures", training.mixtures);
    request.read("merge_small", training.merge_small);
    request.read("residual_rounds", training.residual_rounds);
    request.read("residual_share", training.residual_share);
    request.read("costs", training.costs);
    return training;
  });
}

Result<SketchRequest> parse_sketch_request(const std::string& json) {
  return read_request(json, [](JsonRequest& request) {
    SketchRequest sketch;
    request.read_as("notion", sketch.notion, parse_fairness_notion);
    request.read_as("adjacency", sketch.adjacency, parse_adjacency);
    request.read("epsilon", sketch.epsilon);
    request.read("delta", sketch.delta);
    request.read("rounds", sketch.rounds);
    request.read("round_share", sketch.round_share);
    return sketch;
  });
}

Result<EvaluationRequest> parse_evaluation_request(const std::string& json) {
  return read_request(json, [](JsonRequest& request) {
    EvaluationRequest evaluation;
    request.read_as("adjacency", evaluation.adjacency, parse_adjacency);
    request.read("epsilon", evaluation.epsilon);
    request.read("delta", evaluation.delta);
    request.read("declared_units", evaluation.declared_units);
    return evaluation;
  });
}

Result<RunOptions> parse_run_options(const std::string& json) {
  return read_request(json, [](JsonRequest& request) {
    RunOptions options;
    request.read("budget", options.budget);
    request.read("part_of_budget", options.part_of_budget);
    request.read("seed", options.seed);
    request.read("rehearsal", options.rehearsal);
    request.read("threads", options.threads);
    if (const Json* checkpoint = request.find("checkpoint")) read_checkpoint(*checkpoint, options);
    return options;
  });
}

Result<CapRequest> parse_cap_request(const std::string& json) {
  return read_request(json, [](JsonRequest& request) {
    CapRequest made;
    request.read("budget", made.key.name);
    request.read_as("adjacency", made.key.adjacency, parse_adjacency);
    read_amount(request, "epsilon", made.cap.epsilon, Rounding::kDown);
    read_amount(request, "delta", made.cap.delta, Rounding::kDown);
    std::string composition = "sums";
    request.read("composition", composition);
    std::optional<Amount> order;
    if (const Json* given = request.find("order"); given != nullptr) {
      read_amount(request, "order", order.emplace(), Rounding::kUp);
    }
    if (composition == "renyi") {
      made.cap = value_or_throw(with_renyi_filter(made.cap, order));
    } else if (composition != "sums") {
      throw BadJson(fmt::format("`composition` takes sums or renyi, not {}", composition));
    } else if (order) {
      throw BadJson("`order` belongs to `composition` renyi; leave it out");
    }
    return made;
  });
}

}  // namespace dpfermi::capi
