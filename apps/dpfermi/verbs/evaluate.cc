// dpfermi evaluate: how well and how fairly a model does on a table; exactly, for the holder of the
// data, or with noise, for everybody.

#include <fmt/format.h>

#include "cli.h"
#include "evaluate/metrics_json.h"
#include "flags/image_options.h"
#include "flags/run_flags.h"
#include "flags/table_options.h"
#include "print/charge_record.h"
#include "print/metrics_report.h"
#include "print/private_report.h"
#include "privacy/statement_json.h"
#include "terminal_observer.h"
#include "workflow/model_use.h"
#include "workflow/outcome_json.h"
#include "workflow/private_evaluation.h"

namespace dpfermi::cli {
namespace {

struct EvaluateFlags {
  std::string model;
  TableOptions table;
  EvaluationChoice data;
  std::optional<double> epsilon;  ///< nothing: exact figures are asked for
  PrivateEvaluationChoice privacy;
};

void add_private_flags(CLI::App& verb, EvaluateFlags& flags) {
  const std::string where = "Private figures";
  verb.add_option("--epsilon", flags.epsilon,
                  "Release figures with noise and intervals that cost this much privacy")
      ->group(where);
  verb.add_option("--delta", flags.privacy.delta, "Delta of the release (default 1/n^2)")
      ->group(where);
  verb.add_option("--units", flags.privacy.units,
                  "Declared number of records or persons (add-remove-record only)")
      ->check(whole_from_one(UINT32_MAX))
      ->group(where);
  add_seed(verb, flags.privacy.seed, where);
  add_spending_flags(verb, flags.privacy.spending);
}

/// Refuses flags that make no sense together, or without --epsilon.
Status check_private_flags(const EvaluateFlags& flags) {
  const PrivateEvaluationChoice& given = flags.privacy;
  if (!flags.epsilon && (given.delta || given.units || given.seed || given.spending.given())) {
    return usage_error(
        "--delta, --units, --seed, --budget, --part-of-budget, --ledger, --research and "
        "--rehearsal belong to private figures; add --epsilon");
  }
  return given.spending.check(given.seed.has_value());
}

/// What does not read s costs nothing where features and labels are public.
Result<std::optional<Performance>> public_performance(const TrainedModel& model,
                                                      const EvaluationData& data) {
  std::optional<Performance> performance;
  if (errors_are_public(model)) {
    DPFERMI_ASSIGN(performance, performance_on(model, data.rows.data));
  }
  return performance;
}

Status print_private(const Context& context, const TrainedModel& model, const EvaluationData& data,
                     const PrivateEvaluation& evaluation) {
  DPFERMI_ASSIGN(const std::optional<Performance> open, public_performance(model, data));
  const bool persons = data.rows.data.persons;
  const std::vector<std::string>& groups = data.table.domain.names();
  if (context.json) {
    Json json = {{"exact_not_private", false}};
    json["test"] = json_of(evaluation.metrics, persons, groups);
    if (open) json["test"]["performance"] = json_of(*open);
    json["privacy"] = json_of(evaluation.statement);
    json["privacy"]["recorded"] = json_of(evaluation.charge);
    Context::print(json_text(json) + "\n");
    return {};
  }
  Context::print(
      private_metrics_text(evaluation.metrics, persons, model.classes, model.favourable, groups));
  if (open) {
    Context::print("\nPublic, since none of it reads the protected attribute:\n\n" +
                   performance_text(*open, model.classes[model.favourable]));
  }
  Context::print(
      fmt::format("\nWithout a private version, so left out: AUC, Brier score and "
                  "calibration {}.\n",
                  open ? "of groups" : "of all rows and of groups"));
  Context::print("\n" + spent_text(evaluation.statement) + "\n" + describe(evaluation.statement) +
                 recorded_text(evaluation.charge));
  return {};
}

Status evaluate_exactly(const Context& context, const TrainedModel& model,
                        const EvaluationData& data, bool held_out) {
  DPFERMI_ASSIGN(const Metrics metrics, measure(model, data.rows.data));
  const std::vector<std::string>& groups = data.table.domain.names();
  if (context.json) {
    Json json = {{"exact_not_private", true}};
    json["test"] = json_of(metrics, groups);
    Context::print(json_text(json) + "\n");
    return {};
  }
  if (groups.empty() && !model.groups.empty()) {
    context.note("without the protected columns nothing can be said about fairness");
  }
  if (!held_out && model.training.held_out && model.training.data == data.title) {
    context.note("the model was trained on some of these rows; --held-out keeps to the others");
  }
  const NamedMetrics set{held_out ? "held out" : "all rows", &metrics};
  Context::print(metrics_text({&set, 1}, model.classes, model.favourable, groups) + "\n" +
                 performance_text(metrics, groups, model.classes[model.favourable]));
  return {};
}

Status evaluate(const Context& context, const EvaluateFlags& flags) {
  DPFERMI_TRY(check_private_flags(flags));
  DPFERMI_ASSIGN(const TrainedModel model, read_model_first(flags.model, flags.table.file()));
  EvaluationChoice choice = flags.data;
  DPFERMI_ASSIGN(choice.table, flags.table.resolve_file());
  TerminalObserver observer(context);
  DPFERMI_ASSIGN(const EvaluationData data,
                 read_evaluation_data(observer, model, choice, *context.team));
  if (!flags.epsilon) return evaluate_exactly(context, model, data, choice.held_out);
  PrivateEvaluationChoice asked = flags.privacy;
  asked.epsilon = *flags.epsilon;
  asked.team = context.team;
  DPFERMI_ASSIGN(const PrivateEvaluation evaluation, evaluate_privately(model, data, asked));
  if (!context.team->leads()) return {};
  return print_private(context, model, data, evaluation);
}

}  // namespace

void add_evaluate(CLI::App& app, Context& context) {
  const auto [verb, flags] = add_verb<EvaluateFlags>(
      app, context, "evaluate", "Measure a model on a table: exactly, or privately with --epsilon",
      "  dpfermi evaluate people.model test.csv\n"
      "  dpfermi evaluate people.model people.csv --held-out --epsilon 0.5\n"
      "  dpfermi evaluate people.model open.csv --sensitive-file locked.csv --join id --json\n"
      "  dpfermi evaluate faces.model test.csv --images test.zip",
      evaluate);
  verb->add_option("model", flags->model, "The model file")->required()->type_name("MODEL");
  flags->table.add_file_flags(*verb);
  flags->table.add_join_flags(*verb);
  add_prediction_images(*verb, flags->data.images);
  verb->add_flag("--held-out", flags->data.held_out,
                 "Only the rows that training kept for testing, where this is its table");
  verb->add_option("--id", flags->data.id,
                   "The person a row belongs to: the unit of privacy (default: as in training)");
  add_private_flags(*verb, *flags);
}

}  // namespace dpfermi::cli
