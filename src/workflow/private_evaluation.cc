#include "workflow/private_evaluation.h"

#include "evaluate/private_release.h"
#include "model/decisions.h"
#include "workflow/model_use.h"

namespace dpfermi {
namespace {

Result<std::vector<std::uint16_t>> certain_decisions(const TrainedModel& model,
                                                     const Dataset& data) {
  if (data.y.empty()) {
    return usage_error("there are no labelled rows to evaluate; give a table with some");
  }
  if (decides_by_rule(model)) {
    return usage_error(
        "decisions of this model are drawn or depend on the group, which private figures do not "
        "cover; leave out `epsilon`");
  }
  DPFERMI_ASSIGN(const std::vector<float> predicted, probabilities(model, data));
  std::vector<std::uint16_t> decisions;
  for (std::size_t at = 0; at < predicted.size(); at += data.classes) {
    const std::span<const float> row = std::span(predicted).subspan(at, data.classes);
    decisions.push_back(static_cast<std::uint16_t>(predicted_class(row)));
  }
  return decisions;
}

}  // namespace

Result<PrivateEvaluation> evaluate_privately(const TrainedModel& model, const EvaluationData& data,
                                             const PrivateEvaluationChoice& choice) {
  const Dataset& rows = data.rows.data;
  DPFERMI_TRY(check_complete(data.table));
  DPFERMI_ASSIGN(const std::vector<std::uint16_t> decisions, certain_decisions(model, rows));
  const EvaluationRequest request{model.schema.adjacency, choice.epsilon, choice.delta,
                                  choice.units};
  DPFERMI_ASSIGN(const EvaluationPlan plan, plan_evaluation(request, rows));
  DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(choice.seed));
  PrivateEvaluation evaluation;
  PrivacyStatement& statement = evaluation.statement;
  statement = statement_of(plan, noise.reproducibility());
  statement.id_column = data.table.schema.id;
  statement.domain_declared = model.privacy.domain_declared;
  // Totals over all rows are taken for public, and depend on the model.
  if (!model.privacy.releases.empty() && !is_private(model.privacy)) {
    statement.assumptions.emplace_back(
        "the model, which promises no privacy: whom it was trained on, it may give away");
  }
  if (choice.spending.research) statement.assumptions.emplace_back(Spending::kOnlyRelease);
  DPFERMI_ASSIGN(Spending spending, Spending::start(choice.spending, data.files, data.table));
  DPFERMI_ASSIGN(const NoisyTable table,
                 release_table(plan, decisions, rows, spending.ledger(), std::move(noise)));
  DPFERMI_TRY(spending.ledger().commit());
  DPFERMI_ASSIGN(evaluation.charge, spending.record());
  evaluation.metrics = private_metrics(table, model.favourable);
  return evaluation;
}

}  // namespace dpfermi
