// dpfermi evaluate: how well and how fairly a model does on a table, exactly, for the holder of the
// data.

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli.h"
#include "dpfermi/artifact/model_file.h"
#include "metrics_report.h"
#include "model_use.h"
#include "table_options.h"

namespace dpfermi::cli {
namespace {

struct EvaluateFlags {
  std::string model;
  TableOptions table;
};

Status evaluate(const Context& context, const EvaluateFlags& flags) {
  DPFERMI_ASSIGN(const TrainedModel model, read_model(flags.model));
  DPFERMI_ASSIGN(const TableChoice choice, flags.table.resolve_for(model.schema));
  DPFERMI_ASSIGN(const Table table, read_table(choice.request));
  std::vector<std::uint32_t> rows(table.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  DPFERMI_ASSIGN(const EncodedDataset encoded, model.pipeline.apply(table, rows));
  DPFERMI_ASSIGN(const Metrics metrics, measure(model, encoded.data));
  const std::vector<std::string>& groups = table.domain.names();
  if (context.json) {
    nlohmann::ordered_json json = {{"exact_not_private", true}};
    json["test"] = nlohmann::ordered_json::parse(to_json(metrics, groups));
    Context::print(json.dump(2) + "\n");
    return {};
  }
  if (groups.empty() && !model.groups.empty()) {
    context.note("without the protected columns nothing can be said about fairness");
  }
  const NamedMetrics set{"test", &metrics};
  Context::print(metrics_text({&set, 1}, model.classes, model.favourable, groups));
  return {};
}

}  // namespace

void add_evaluate(CLI::App& app, Context& context) {
  const auto flags = std::make_shared<EvaluateFlags>();
  CLI::App* verb = add_verb(
      app, context, "evaluate", "Measure a model on a table (exact figures, not private)",
      "  dpfermi evaluate people.model test.csv\n"
      "  dpfermi evaluate people.model open.csv --sensitive-file locked.csv --join id --json",
      [&context, flags] { return evaluate(context, *flags); });
  verb->add_option("model", flags->model, "The model file")->required()->type_name("MODEL");
  flags->table.add_file_flags(*verb);
  flags->table.add_join_flags(*verb);
}

}  // namespace dpfermi::cli
