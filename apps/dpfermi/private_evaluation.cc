#include "private_evaluation.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "dpfermi/core/text.h"
#include "dpfermi/evaluate/metrics.h"
#include "dpfermi/evaluate/private_metrics.h"
#include "model_use.h"
#include "noise.h"
#include "prepared_data.h"
#include "private_report.h"

namespace dpfermi::cli {
namespace {

Result<std::vector<std::uint16_t>> decide(const TrainedModel& model, const Dataset& data) {
  if (data.y.empty()) {
    return usage_error("there are no labelled rows to evaluate; give a table with some");
  }
  if (decides_by_rule(model)) {
    return usage_error(
        "decisions of this model are drawn or depend on the group, which private figures do not "
        "cover; leave out --epsilon");
  }
  DPFERMI_ASSIGN(const std::vector<float> predicted, probabilities(model, data));
  std::vector<std::uint16_t> decisions;
  for (std::size_t at = 0; at < predicted.size(); at += data.classes) {
    const std::span<const float> row = std::span(predicted).subspan(at, data.classes);
    decisions.push_back(static_cast<std::uint16_t>(predicted_class(row)));
  }
  return decisions;
}

void print_json(const PrivateMetrics& metrics, const PrivacyStatement& statement,
                const EvaluationData& data, const PrivateChoice& choice, const Spending& spending,
                const std::optional<LedgerPlace>& place) {
  using Json = nlohmann::ordered_json;
  Json json = {{"exact_not_private", false}};
  json["test"] = Json::parse(to_json(metrics, data.rows.data.persons, data.table.domain.names()));
  json["privacy"] = Json::parse(to_json(statement));
  json["privacy"]["recorded"] = recorded_json(choice.spending.research, spending.path(), place);
  Context::print(json.dump(2) + "\n");
}

}  // namespace

void PrivateChoice::add_to(CLI::App& verb) {
  const std::string where = "Private figures";
  verb.add_option("--epsilon", epsilon,
                  "Release figures with noise and intervals that cost this much privacy")
      ->group(where);
  verb.add_option("--delta", delta, "Delta of the release (default 1/n^2)")->group(where);
  verb.add_option("--units", units,
                  "Declared number of records or persons (add-remove-record only)")
      ->check(whole_from_one(UINT32_MAX))
      ->group(where);
  add_seed(verb, seed, where);
  spending.add_to(verb);
}

Status PrivateChoice::check() const {
  if (!epsilon && (delta || units || seed || !(spending == SpendingChoice{}))) {
    return usage_error(
        "--delta, --units, --seed, --budget, --ledger and --research belong to private figures; "
        "add --epsilon");
  }
  return spending.check();
}

Status evaluate_privately(const Context& context, const TrainedModel& model,
                          const EvaluationData& data, const PrivateChoice& choice) {
  const Dataset& rows = data.rows.data;
  DPFERMI_TRY(check_complete(data.table));
  DPFERMI_ASSIGN(const std::vector<std::uint16_t> decisions, decide(model, rows));
  const EvaluationRequest request{model.schema.adjacency, *choice.epsilon, choice.delta,
                                  choice.units};
  DPFERMI_ASSIGN(const EvaluationPlan plan, plan_evaluation(request, rows));
  DPFERMI_ASSIGN(NoiseSource noise, noise_source(choice.seed));
  PrivacyStatement statement = statement_of(plan, noise.reproducibility());
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
  DPFERMI_ASSIGN(const std::optional<LedgerPlace> place, spending.place());
  const PrivateMetrics metrics = private_metrics(table, model.favourable);
  if (context.json) {
    print_json(metrics, statement, data, choice, spending, place);
    return {};
  }
  Context::print(private_metrics_text(metrics, rows.persons, model.classes, model.favourable,
                                      data.table.domain.names()));
  Context::print("\n" + spent_text(statement) + "\n" + describe(statement) +
                 recorded_text(choice.spending.research, spending.path(), place));
  return {};
}

}  // namespace dpfermi::cli
