// dpfermi evaluate: how well and how fairly a model does on a table; exactly, for the holder of the
// data, or with noise, for everybody.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli.h"
#include "dpfermi/artifact/model_file.h"
#include "metrics_report.h"
#include "model_use.h"
#include "private_evaluation.h"

namespace dpfermi::cli {
namespace {

struct EvaluateFlags {
  std::string model;
  EvaluationChoice data;
  PrivateChoice privacy;
};

Status evaluate_exactly(const Context& context, const TrainedModel& model,
                        const EvaluationData& data, bool held_out) {
  DPFERMI_ASSIGN(const Metrics metrics, measure(model, data.rows.data));
  const std::vector<std::string>& groups = data.table.domain.names();
  if (context.json) {
    nlohmann::ordered_json json = {{"exact_not_private", true}};
    json["test"] = nlohmann::ordered_json::parse(to_json(metrics, groups));
    Context::print(json.dump(2) + "\n");
    return {};
  }
  if (groups.empty() && !model.groups.empty()) {
    context.note("without the protected columns nothing can be said about fairness");
  }
  if (!held_out && model.training.held_out && model.training.data == data.title) {
    context.note("the model was trained on some of these rows; --held-out keeps to the others");
  }
  const NamedMetrics set{held_out ? "held out" : "all rows", &metrics};
  Context::print(metrics_text({&set, 1}, model.classes, model.favourable, groups));
  return {};
}

Status evaluate(const Context& context, const EvaluateFlags& flags) {
  DPFERMI_TRY(flags.privacy.check());
  DPFERMI_ASSIGN(const TrainedModel model, read_model_first(flags.model, flags.data.table.file()));
  EvaluationChoice choice = flags.data;
  // Exact figures count rows: whose they are matters for a split alone.
  choice.persons = flags.privacy.epsilon || choice.held_out;
  DPFERMI_ASSIGN(const EvaluationData data, read_evaluation_data(context, model, choice));
  if (flags.privacy.epsilon) return evaluate_privately(context, model, data, flags.privacy);
  return evaluate_exactly(context, model, data, choice.held_out);
}

}  // namespace

void add_evaluate(CLI::App& app, Context& context) {
  const auto flags = std::make_shared<EvaluateFlags>();
  CLI::App* verb = add_verb(
      app, context, "evaluate", "Measure a model on a table: exactly, or privately with --epsilon",
      "  dpfermi evaluate people.model test.csv\n"
      "  dpfermi evaluate people.model people.csv --held-out --epsilon 0.5\n"
      "  dpfermi evaluate people.model open.csv --sensitive-file locked.csv --join id --json\n"
      "  dpfermi evaluate faces.model test.csv --images test.zip",
      [&context, flags] { return evaluate(context, *flags); });
  verb->add_option("model", flags->model, "The model file")->required()->type_name("MODEL");
  flags->data.table.add_file_flags(*verb);
  flags->data.table.add_join_flags(*verb);
  flags->data.images.add_to(*verb);
  verb->add_flag("--held-out", flags->data.held_out,
                 "Only the rows that training kept for testing, where this is its table");
  verb->add_option("--id", flags->data.id,
                   "The person a row belongs to: the unit of privacy (default: as in training)");
  flags->privacy.add_to(*verb);
}

}  // namespace dpfermi::cli
