#include "workflow/private_evaluation.h"

#include <fmt/format.h>

#include "artifact/model_file.h"
#include "evaluate/private_release.h"
#include "workflow/model_use.h"
#include "workflow/same_work.h"

namespace dpfermi {
namespace {

Result<std::vector<std::uint16_t>> public_decisions(const TrainedModel& model,
                                                    const Dataset& data) {
  if (data.y.empty()) {
    return usage_error("there are no labelled rows to evaluate; give a table with some");
  }
  if (model.rule.needs_group()) {
    return usage_error(
        "this model decides by the group as well, which private figures do not cover; leave out "
        "`epsilon`");
  }
  DPFERMI_ASSIGN(Predictions made, predict_rows(model, data));
  return std::move(made.decisions);
}

}  // namespace

Result<PrivateEvaluation> evaluate_privately(const TrainedModel& model, const EvaluationData& data,
                                             const PrivateEvaluationChoice& choice) {
  const Dataset& rows = data.rows.data;
  DPFERMI_TRY(check_complete(data.table));
  DPFERMI_ASSIGN(const std::vector<std::uint16_t> decisions, public_decisions(model, rows));
  const EvaluationRequest request{model.schema.adjacency, choice.epsilon, choice.delta,
                                  choice.units};
  DPFERMI_ASSIGN(const EvaluationPlan plan, plan_evaluation(request, rows));
  const auto settings = [&]() -> Result<std::string> {
    DPFERMI_ASSIGN(const std::string digest, model_digest(model));
    return fmt::format("{} {} {}", digest, to_json(plan.charge.event), plan.noise);
  };
  DPFERMI_TRY(check_same_work(*choice.team, rows, choice.seed, settings));
  DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(choice.seed, *choice.team));
  PrivateEvaluation evaluation;
  PrivacyStatement& statement = evaluation.statement;
  statement = statement_of(plan, noise.reproducibility());
  statement.id_column = data.table.schema.id;
  statement.domain_declared = model.privacy.domain_declared;
  // Totals over all rows are taken for public, and depend on the model.
  if (!model.privacy.releases.empty()) {
    statement.assumptions.emplace_back(
        is_private(model.privacy)
            ? "the model, which has a privacy statement of its own: costs about the same people "
              "add up"
            : "the model, which promises no privacy: whom it was trained on, it may give away");
  }
  if (choice.spending.research) statement.assumptions.emplace_back(Spending::kOnlyRelease);
  DPFERMI_ASSIGN(Spending spending,
                 Spending::start(choice.spending, data.files, data.table, *choice.team));
  DPFERMI_ASSIGN(const NoisyTable table,
                 release_table(plan, decisions, rows, spending.ledger(), std::move(noise)));
  DPFERMI_TRY(spending.stamp(statement));
  DPFERMI_TRY(spending.ledger().commit());
  DPFERMI_ASSIGN(evaluation.charge, spending.record());
  evaluation.metrics = private_metrics(table, model.favourable);
  return evaluation;
}

}  // namespace dpfermi
