#include "workflow/planned_run.h"

namespace dpfermi {

Status close_run(const TrainingPlan& plan, StepLedger& ledger) {
  return reads_protected(plan) ? ledger.commit() : Status();
}

Result<TrainingResult> run_plan(const Dataset& data, const TrainingPlan& plan, StepLedger& ledger,
                                NoiseSource noise, const TrainingHooks& hooks) {
  DPFERMI_ASSIGN(TrainingResult result, train(data, plan, ledger, std::move(noise), hooks));
  DPFERMI_TRY(close_run(plan, ledger));
  return result;
}

std::vector<float> stored_theta(std::span<const double> theta) {
  std::vector<float> stored;
  stored.reserve(theta.size());
  for (const double value : theta) stored.push_back(static_cast<float>(value));
  return stored;
}

Result<Metrics> measure(const ModelSpec& model, const DecisionRule& rule,
                        std::span<const double> theta, const Dataset& data, std::size_t favourable,
                        Draws draws, const std::vector<bool>& left_out,
                        std::span<const float> scores) {
  const std::vector<float> stored = stored_theta(theta);
  const std::vector<double> parameters(stored.begin(), stored.end());
  return rule_metrics(rule, model, parameters, data, favourable, draws, left_out, scores);
}

}  // namespace dpfermi
