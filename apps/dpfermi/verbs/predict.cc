// dpfermi predict: labels and probabilities for the rows of a table. The target is not needed; the
// protected columns only by models that decide by them as well.

#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli.h"
#include "core/file.h"
#include "core/text.h"
#include "flags/image_options.h"
#include "flags/table_options.h"
#include "terminal_observer.h"
#include "workflow/model_use.h"
#include "workflow/output_file.h"
#include "workflow/prediction.h"

namespace dpfermi::cli {
namespace {

struct PredictFlags {
  std::string model;
  TableOptions table;
  PredictionChoice choice;
  std::string out = "-";
};

/// A field as RFC 4180 has it.
std::string csv_field(const std::string& text) {
  const bool plain = text.find_first_of(",\"\r\n") == std::string::npos && trim(text) == text;
  if (plain) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

/// One line a row, in the order of the table; its id first, where one is asked for.
Status write_predictions(const TrainedModel& model, const PredictedRows& predicted,
                         std::ostream& out) {
  const std::size_t l = model.classes.size();
  const Table& table = predicted.table;
  const Predictions& made = predicted.predictions;
  const bool ids = !table.units.empty();
  std::vector<std::string> labels;
  out << (ids ? csv_field(table.schema.id) + "," : "") << "label";
  for (const std::string& name : model.classes) {
    labels.push_back(csv_field(name));
    out << ',' << csv_field("probability_" + name);
  }
  out << '\n';
  std::string line;
  for (std::size_t at = 0; at < made.probabilities.size(); at += l) {
    const auto row = std::span(made.probabilities).subspan(at, l);
    line = ids ? csv_field(table.unit_names[table.units[at / l]]) + "," : "";
    line += labels[made.decisions[at / l]];
    for (const float value : row) fmt::format_to(std::back_inserter(line), ",{}", value);
    out << line << '\n';
  }
  return {};
}

/// The same as one object: a row each, with its id where one is asked for.
std::string predictions_json(const TrainedModel& model, const PredictedRows& predicted) {
  const std::size_t l = model.classes.size();
  const Table& table = predicted.table;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (std::size_t row = 0; row < predicted.predictions.decisions.size(); ++row) {
    nlohmann::ordered_json entry;
    if (!table.units.empty()) entry["id"] = table.unit_names[table.units[row]];
    entry["label"] = model.classes[predicted.predictions.decisions[row]];
    for (std::size_t j = 0; j < l; ++j) {
      entry["probabilities"][model.classes[j]] = predicted.predictions.probabilities[row * l + j];
    }
    rows.push_back(std::move(entry));
  }
  return nlohmann::ordered_json{{"rows", std::move(rows)}}.dump(2) + "\n";
}

std::string counts_json(const TrainedModel& model, std::span<const std::uint16_t> decisions,
                        const std::string& out) {
  const std::size_t l = model.classes.size();
  std::vector<std::uint64_t> counts(l);
  for (const std::uint16_t decision : decisions) ++counts[decision];
  nlohmann::ordered_json json = {{"rows", decisions.size()}, {"labels", nullptr}};
  for (std::size_t j = 0; j < l; ++j) json["labels"][model.classes[j]] = counts[j];
  json["out"] = printable(out, SIZE_MAX);
  return json.dump(2) + "\n";
}

void note_unseen(const Context& context, const std::vector<UnseenCount>& unseen) {
  for (const UnseenCount& column : unseen) {
    context.note(fmt::format("column '{}': {} that training did not see {} no weight",
                             printable(column.column), counted(column.cells, "value"),
                             column.cells == 1 ? "carries" : "carry"));
  }
}

void note_numbers(const Context& context, const std::vector<NumberCount>& numbers) {
  const auto note = [&](const NumberCount& column, std::uint64_t count, std::string_view what) {
    if (count == 0) return;
    context.note(
        fmt::format("column '{}': {} {}", printable(column.column), counted(count, "value"), what));
  };
  for (const NumberCount& column : numbers) {
    note(column, column.missing, "missing: read as the middle of what training saw");
    note(column, column.outside, "outside the declared range: read as its nearer end");
    note(column, column.far, "more than 10 standard deviations from the mean of training");
  }
}

/// Whether the predictions can be written where they are to go.
Status check_out(const PredictFlags& flags, const PredictionChoice& choice) {
  if (flags.out == "-") return {};
  std::vector<std::string> inputs = choice.table.inputs();
  inputs.push_back(flags.model);
  if (choice.images.given()) inputs.push_back(choice.images.images);
  return check_writable(flags.out, "out", inputs);
}

Status predict_table(const Context& context, const PredictFlags& flags) {
  const bool to_stdout = flags.out == "-";
  DPFERMI_ASSIGN(const TrainedModel model, read_model_first(flags.model, flags.table.file()));
  PredictionChoice choice = flags.choice;
  DPFERMI_TRY(choice.check(model));
  DPFERMI_ASSIGN(choice.table, flags.table.resolve_file());
  DPFERMI_TRY(check_out(flags, choice));
  TerminalObserver observer(context);
  DPFERMI_ASSIGN(const PredictedRows predicted, predict_rows(observer, model, choice));
  note_unseen(context, predicted.unseen);
  note_numbers(context, predicted.numbers);
  if (to_stdout && context.json) {
    Context::print(predictions_json(model, predicted));
    return {};
  }
  if (to_stdout) return write_predictions(model, predicted, std::cout);
  DPFERMI_TRY(write_file_atomically(
      flags.out, [&](std::ostream& out) { return write_predictions(model, predicted, out); }));
  if (context.json) {
    Context::print(counts_json(model, predicted.predictions.decisions, flags.out));
  }
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
               [&context, flags] { return predict_table(context, *flags); });
  verb->add_option("model", flags->model, "The model file")->required()->type_name("MODEL");
  flags->table.add_file_flags(*verb);
  add_prediction_images(*verb, flags->choice.images);
  verb->add_option("--id", flags->choice.id,
                   "A column to copy in front of the predictions (default of images: their names)");
  verb->add_option("--out", flags->out, "The CSV file to write; - is standard output")
      ->capture_default_str();
}

}  // namespace dpfermi::cli
