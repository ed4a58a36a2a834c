// dpfermi predict: labels and probabilities for the rows of a table. The target is not needed; the
// protected columns only by models that decide by them as well.

#include <fmt/format.h>

#include <iostream>

#include "cli.h"
#include "core/file.h"
#include "core/text.h"
#include "flags/image_options.h"
#include "flags/table_options.h"
#include "terminal_observer.h"
#include "workflow/model_use.h"
#include "workflow/output_file.h"
#include "workflow/prediction_text.h"

namespace dpfermi::cli {
namespace {

struct PredictFlags {
  std::string model;
  TableOptions table;
  PredictionChoice choice;
  std::string out = "-";
};

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
    Context::print(json_text(json_of(model, predicted)) + "\n");
    return {};
  }
  const auto write = [&](std::ostream& out) -> Status {
    write_csv(model, predicted, out);
    return {};
  };
  if (to_stdout) return write(std::cout);
  DPFERMI_TRY(write_file_atomically(flags.out, write));
  if (context.json) {
    Json json = label_counts(model, predicted.predictions.decisions);
    json["out"] = printable(flags.out, SIZE_MAX);
    Context::print(json_text(json) + "\n");
  }
  return {};
}

}  // namespace

void add_predict(CLI::App& app, Context& context) {
  const auto [verb, flags] = add_verb<PredictFlags>(
      app, context, "predict", "Predict the rows of a table with a model",
      "  dpfermi predict people.model new.csv --id customer --out predictions.csv\n"
      "  cat new.csv | dpfermi predict people.model - > predictions.csv\n"
      "  dpfermi predict faces.model new.csv --images new.zip --out predictions.csv",
      predict_table);
  verb->add_option("model", flags->model, "The model file")->required()->type_name("MODEL");
  flags->table.add_file_flags(*verb);
  add_prediction_images(*verb, flags->choice.images);
  verb->add_option("--id", flags->choice.id,
                   "A column to copy in front of the predictions (default of images: their names)");
  verb->add_option("--out", flags->out, "The CSV file to write; - is standard output")
      ->capture_default_str();
}

}  // namespace dpfermi::cli
