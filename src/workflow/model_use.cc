#include "workflow/model_use.h"

#include <fmt/format.h>

#include "artifact/model_file.h"
#include "model/network.h"

namespace dpfermi {

Result<TrainedModel> read_model_first(const std::string& model, const std::string& table) {
  auto read = read_model(model);
  if (read || table.empty() || table == "-" || !read_model(table)) return read;
  return usage_error(fmt::format("{0} is the model, not {1}: say {0} {1}", table, model));
}

bool decides_by_rule(const TrainedModel& model) {
  return !model.rule.plain();
}

Result<std::vector<float>> probabilities(const TrainedModel& model, const Dataset& data) {
  const std::vector<double> theta(model.theta.begin(), model.theta.end());
  if (model.rule.plain()) return predict(Network(model.spec), theta, data.x);
  std::span<const std::uint16_t> groups;
  if (model.rule.needs_group()) groups = ExactForHolder::read(data.s);
  if (model.rule.needs_group() && groups.size() != data.x.rows()) {
    return usage_error(
        "this model decides by the protected columns as well; give a table that has them");
  }
  return decision_probabilities(model.rule, model.spec, theta, model.favourable, data.x, groups);
}

Result<Metrics> measure(const TrainedModel& model, const Dataset& data) {
  const std::vector<double> theta(model.theta.begin(), model.theta.end());
  return rule_metrics(model.rule, model.spec, theta, data, model.favourable);
}

Status measure(const PreparedData& data, TrainingOutcome& outcome) {
  DPFERMI_ASSIGN(outcome.train, measure(outcome.model, data.train));
  if (data.test) {
    DPFERMI_ASSIGN(outcome.test, measure(outcome.model, *data.test));
  }
  return {};
}

}  // namespace dpfermi
