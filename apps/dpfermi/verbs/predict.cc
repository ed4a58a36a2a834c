// dpfermi predict: labels and probabilities for the rows of a table. The target is not needed; the
// protected columns only by models that decide by them as well.

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "artifact/model_file.h"
#include "cli.h"
#include "core/file.h"
#include "core/text.h"
#include "flags/image_options.h"
#include "flags/table_options.h"
#include "terminal_observer.h"
#include "workflow/model_use.h"
#include "workflow/output_file.h"

namespace dpfermi::cli {
namespace {

struct PredictFlags {
  std::string model;
  TableOptions table;
  vision::PredictionImages images;
  std::string id;
  std::string out = "-";
  std::optional<std::uint64_t> seed;
};

/// A field as RFC 4180 has it.
std::string csv_field(const std::string& text) {
  const bool plain = text.find_first_of(",\"\r\n") == std::string::npos && trim(text) == text;
  if (plain) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

/// The class of each row: the likeliest, or drawn where the model says so.
std::vector<std::size_t> decide(const TrainedModel& model, std::span<const float> probabilities,
                                std::optional<std::uint64_t> seed) {
  const std::size_t l = model.classes.size();
  std::mt19937_64 random(seed ? *seed : std::random_device{}());
  std::vector<std::size_t> decisions;
  for (std::size_t at = 0; at < probabilities.size(); at += l) {
    const std::span<const float> row = probabilities.subspan(at, l);
    if (decides_by_rule(model)) {
      decisions.push_back(std::discrete_distribution<std::size_t>(row.begin(), row.end())(random));
    } else {
      decisions.push_back(predicted_class(row));
    }
  }
  return decisions;
}

/// One line a row, in the order of the table; its id first, where one is asked for.
Status write_predictions(const TrainedModel& model, const Table& table,
                         std::span<const float> probabilities,
                         std::span<const std::size_t> decisions, std::ostream& out) {
  const std::size_t l = model.classes.size();
  const bool ids = !table.units.empty();
  std::vector<std::string> labels;
  out << (ids ? csv_field(table.schema.id) + "," : "") << "label";
  for (const std::string& name : model.classes) {
    labels.push_back(csv_field(name));
    out << ',' << csv_field("probability_" + name);
  }
  out << '\n';
  std::string line;
  for (std::size_t at = 0; at < probabilities.size(); at += l) {
    const std::span<const float> row = probabilities.subspan(at, l);
    line = ids ? csv_field(table.unit_names[table.units[at / l]]) + "," : "";
    line += labels[decisions[at / l]];
    for (const float value : row) fmt::format_to(std::back_inserter(line), ",{}", value);
    out << line << '\n';
  }
  return {};
}

std::string counts_json(const TrainedModel& model, std::span<const std::size_t> decisions,
                        const std::string& out) {
  const std::size_t l = model.classes.size();
  std::vector<std::uint64_t> counts(l);
  for (const std::size_t decision : decisions) ++counts[decision];
  nlohmann::ordered_json json = {{"rows", decisions.size()}, {"labels", nullptr}};
  for (std::size_t j = 0; j < l; ++j) json["labels"][model.classes[j]] = counts[j];
  json["out"] = printable(out, SIZE_MAX);
  return json.dump(2) + "\n";
}

void note_unseen(const Context& context, const std::vector<UnseenCount>& unseen) {
  for (const UnseenCount& column : unseen) {
    context.note(fmt::format("column '{}': {} values that training did not see carry no weight",
                             printable(column.column), with_thousands(column.cells)));
  }
}

/// The rows to predict for: those of the table, or what the model's network says about the images
/// that it names.
Result<Table> read_rows(const Context& context, const TrainedModel& model,
                        const PredictFlags& flags) {
  Schema schema = prediction_schema(model);
  if (schema.columns.contains(flags.id)) {
    return usage_error(
        fmt::format("--id {}: the model reads that column as a feature; copy it under another name",
                    printable(flags.id)));
  }
  schema.id = flags.id;
  if (flags.images.given() && !model.network) {
    return usage_error("the model was not trained on images; leave out --images");
  }
  DPFERMI_ASSIGN(const TableChoice file, flags.table.resolve_file());
  TableChoice choice = file.read_as(schema);
  std::vector<std::string> inputs = choice.inputs();
  inputs.push_back(flags.model);
  if (flags.images.given()) inputs.push_back(flags.images.images);
  if (flags.out != "-") DPFERMI_TRY(check_writable(flags.out, "out", inputs));
  if (!flags.images.given()) {
    DPFERMI_TRY(vision::check_feature_table(model, choice.request.files));
    return vision::or_ask_for_images(read_table(choice.request), model);
  }
  TerminalObserver observer(context);
  DPFERMI_ASSIGN(const ScratchFolder folder, ScratchFolder::create());
  Schema names;
  names.id = flags.id;
  DPFERMI_ASSIGN(const std::string features,
                 flags.images.embed(observer, model, file, folder, names));
  choice.request.files = {features};
  choice.request.schema.format = {};
  if (flags.id.empty()) choice.request.schema.id = flags.images.column;
  return read_table(choice.request);
}

Status predict_rows(const Context& context, const PredictFlags& flags) {
  const bool to_stdout = flags.out == "-";
  if (to_stdout && context.json) {
    return usage_error("--json prints counts; give the predictions a file with --out");
  }
  DPFERMI_ASSIGN(const TrainedModel model, read_model_first(flags.model, flags.table.file()));
  DPFERMI_ASSIGN(const Table table, read_rows(context, model, flags));
  DPFERMI_ASSIGN(const EncodedDataset encoded, model.pipeline.apply(table, all_rows(table)));
  note_unseen(context, encoded.unseen);
  DPFERMI_ASSIGN(const std::vector<float> predicted, probabilities(model, encoded.data));
  const std::vector<std::size_t> decisions = decide(model, predicted, flags.seed);
  if (to_stdout) return write_predictions(model, table, predicted, decisions, std::cout);
  DPFERMI_TRY(write_file_atomically(flags.out, [&](std::ostream& out) {
    return write_predictions(model, table, predicted, decisions, out);
  }));
  if (context.json) Context::print(counts_json(model, decisions, flags.out));
  return {};
}

}  // namespace

void add_predict(CLI::App& app, Context& context) {
  const auto flags = std::make_shared<PredictFlags>();
  CLI::App* verb =
      add_verb(app, context, "predict", "Predict the rows of a table with a model",
               "  dpfermi predict people.model new.csv --id customer --out predictions.csv\n"
               "  cat new.csv | dpfermi predict people.model - > predictions.csv\n"
               "  dpfermi predict faces.model new.csv --images new.zip --out predictions.csv",
               [&context, flags] { return predict_rows(context, *flags); });
  verb->add_option("model", flags->model, "The model file")->required()->type_name("MODEL");
  flags->table.add_file_flags(*verb);
  add_prediction_images(*verb, flags->images);
  verb->add_option("--id", flags->id,
                   "A column to copy in front of the predictions (default of images: their names)");
  verb->add_option("--seed", flags->seed, "Of decisions that are drawn (default: fresh)")
      ->check(whole_number());
  verb->add_option("--out", flags->out, "The CSV file to write; - is standard output")
      ->capture_default_str();
}

}  // namespace dpfermi::cli
