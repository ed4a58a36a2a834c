#include "workflow/model_use.h"

#include <fmt/format.h>

#include "artifact/model_file.h"
#include "evaluate/compared_violation.h"
#include "model/network.h"
#include "optimize/small_groups.h"
#include "workflow/planned_run.h"

namespace dpfermi {

Result<TrainedModel> read_model_first(const std::string& model, const std::string& table) {
  auto read = read_model(model);
  if (read || table.empty() || table == "-" || !read_model(table)) return read;
  return usage_error(fmt::format("{0} is the model, not {1}: say {0} {1}", table, model));
}

Result<Predictions> predict_rows(const TrainedModel& model, const Dataset& data) {
  const std::vector<double> theta(model.theta.begin(), model.theta.end());
  Predictions made;
  if (model.rule.plain()) {
    made.probabilities = predict(Network(model.spec), theta, data.x);
    for (std::size_t at = 0; at < made.probabilities.size(); at += model.spec.classes) {
      const auto row = std::span(made.probabilities).subspan(at, model.spec.classes);
      made.decisions.push_back(static_cast<std::uint16_t>(predicted_class(row)));
    }
    return made;
  }
  std::span<const std::uint16_t> groups;
  if (model.rule.needs_group()) groups = ExactForHolder::read(data.s);
  if (model.rule.needs_group() && groups.size() != data.x.rows()) {
    return usage_error(
        "this model decides by the protected columns as well; give a table that has them");
  }
  made.probabilities = decision_probabilities(model.rule, model.spec, theta, model.favourable,
                                              data.x, groups, data.scores);
  made.decisions =
      rule_decisions(model.rule, model.spec, theta, model.favourable, data.x, groups, data.scores);
  return made;
}

Result<Metrics> measure(const TrainedModel& model, const Dataset& data,
                        std::span<const float> scores) {
  const std::vector<double> theta(model.theta.begin(), model.theta.end());
  return measure(model.spec, model.rule, theta, data, model.favourable, Draws::kMade, {}, scores);
}

bool errors_are_public(const TrainedModel& model) {
  const bool noisy = model.privacy.releases.empty() || is_private(model.privacy);
  return noisy && features_are_public(model.schema.adjacency) && !model.rule.needs_group();
}

Result<Performance> performance_on(const TrainedModel& model, const Dataset& data) {
  const std::vector<double> theta(model.theta.begin(), model.theta.end());
  return rule_performance(model.rule, model.spec, theta, data, model.favourable);
}

namespace {

ConstantModel constant_model(const PreparedData& data) {
  const std::size_t label = commonest_label(data.train.y, data.train.classes);
  return {label, constant_error(data.test ? *data.test : data.train, label)};
}

std::optional<double> compared(const Dataset& data, std::span<const float> scores,
                               const TrainingOutcome& outcome) {
  const TrainedModel& model = outcome.model;
  const std::vector<double> theta(model.theta.begin(), model.theta.end());
  std::span<const std::uint16_t> groups;
  if (model.rule.needs_group()) groups = ExactForHolder::read(data.s);
  const std::vector<std::uint16_t> decisions =
      rule_decisions(model.rule, model.spec, theta, model.favourable, data.x, groups,
                     scores.empty() ? data.scores : scores);
  return compared_violation(decisions, data,
                            {model.training.fairness, data.groups, data.classes, model.favourable},
                            outcome.known_groups);
}

}  // namespace

Status measure(const PreparedData& data, std::span<const float> scores, TrainingOutcome& outcome) {
  DPFERMI_ASSIGN(outcome.train, measure(outcome.model, data.train, scores));
  if (data.test) {
    DPFERMI_ASSIGN(outcome.test, measure(outcome.model, *data.test));
  }
  outcome.constant = constant_model(data);
  if (!outcome.train.fairness || !outcome.model.training.max_violation) return {};
  if (outcome.merged.empty()) {
    outcome.compared = compared(data.train, scores, outcome);
  } else {
    outcome.compared = compared(with_merged_groups(data.train, outcome.merged), scores, outcome);
  }
  return {};
}

}  // namespace dpfermi
