// dpfermi export: a model in a form that other programs score.

#include <fmt/format.h>

#include <array>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli.h"
#include "core/file.h"
#include "core/text.h"
#include "dpfermi/dpfermi.h"
#include "export/export_form.h"
#include "workflow/output_file.h"

namespace dpfermi::cli {
namespace {

struct ExportFlags {
  std::string model;
  std::string format;
  std::string table = ExportOptions{}.table;
  std::string out = "-";
};

Status export_to(const Context& context, const ExportFlags& flags) {
  DPFERMI_ASSIGN(const ExportFormat format, parse_export_format(flags.format));
  const bool to_stdout = flags.out == "-";
  if (to_stdout && context.json) {
    return usage_error("--json prints a summary; give the export a file with --out");
  }
  if (to_stdout && format == ExportFormat::kOnnx) {
    return usage_error("an ONNX file is not for the terminal; give it a name with --out");
  }
  if (!to_stdout) {
    const std::array<std::string, 1> inputs{flags.model};
    DPFERMI_TRY(check_writable(flags.out, "out", inputs));
  }
  DPFERMI_ASSIGN(const Model model, load_model(flags.model));
  DPFERMI_ASSIGN(const std::string text,
                 export_model(model, {.format = format, .table = flags.table}));
  const bool repaired = model.parts().rule.repair.has_value();
  if (repaired) context.note(kProxyWarning);
  if (to_stdout) {
    std::cout.write(text.data(), static_cast<std::streamsize>(text.size()));
    return {};
  }
  DPFERMI_TRY(write_file_atomically(flags.out, text));
  if (context.json) {
    const nlohmann::ordered_json json = {{"format", flags.format},
                                         {"bytes", text.size()},
                                         {"repaired", repaired},
                                         {"out", printable(flags.out, SIZE_MAX)}};
    Context::print(json.dump(2) + "\n");
  } else {
    Context::print(fmt::format("{} of {} bytes: {}\n", flags.format, with_thousands(text.size()),
                               printable(flags.out, SIZE_MAX)));
  }
  return {};
}

}  // namespace

void add_export(CLI::App& app, Context& context) {
  const auto [verb, flags] = add_verb<ExportFlags>(
      app, context, "export", "Write a model as ONNX, SQL or JSON, for other programs",
      "  dpfermi export people.model --format onnx --out people.onnx\n"
      "  dpfermi export people.model --format sql --table applicants\n"
      "  dpfermi export people.model --format json",
      export_to);
  verb->add_option("model", flags->model, "The model file")->required()->type_name("MODEL");
  verb->add_option("--format", flags->format, "onnx, sql (PostgreSQL and DuckDB) or json")
      ->required()
      ->type_name("FORMAT");
  verb->add_option("--table", flags->table, "The table that the SQL statement reads")
      ->type_name("NAME");
  verb->add_option("--out", flags->out, "The file to write (-: standard output)")
      ->type_name("FILE");
}

}  // namespace dpfermi::cli
