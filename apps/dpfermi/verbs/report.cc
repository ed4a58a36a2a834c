// dpfermi report: the results of a sweep as a page.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli.h"
#include "core/file.h"
#include "core/text.h"
#include "experiment/run_store.h"
#include "report/report_file.h"
#include "workflow/output_file.h"

namespace dpfermi::cli {
namespace {

struct ReportFlags {
  std::string results;
  std::string out = "report.html";
  bool exact = false;
};

Status report(const Context& context, const ReportFlags& flags) {
  DPFERMI_TRY(check_writable(flags.out, "out", result_files(flags.results)));
  DPFERMI_ASSIGN(const ReportSummary written, write_report(flags.results, flags.out, flags.exact));
  if (context.json) {
    const nlohmann::ordered_json json = {{"report", printable(flags.out, SIZE_MAX)},
                                         {"runs", written.runs},
                                         {"panels", written.panels},
                                         {"complete", written.complete},
                                         {"exact_not_private", written.exact},
                                         {"bytes", written.bytes}};
    Context::print(json.dump(2) + "\n");
    return {};
  }
  if (!written.complete) {
    context.note("the sweep is not finished: the report shows the runs that are there");
  }
  if (!written.exact) {
    context.note(
        "the sweep is booked in a ledger: the page shows errors that are public and what was "
        "released; --exact shows exact violations and rates of groups to the holder of the data");
  }
  Context::print(fmt::format("report {}: {} in {}, {} kB\n", flags.out,
                             counted(written.runs, "run"), counted(written.panels, "panel"),
                             with_thousands(written.bytes / 1000)));
  return {};
}

}  // namespace

void add_report(CLI::App& app, Context& context) {
  const auto [verb, flags] = add_verb<ReportFlags>(
      app, context, "report", "Write the results of a sweep as one page of HTML with charts",
      "  dpfermi report results --out report.html", report);
  verb->add_option("results", flags->results, "The results folder of a sweep")
      ->required()
      ->type_name("FOLDER");
  verb->add_option("--out", flags->out, "The page (default report.html)")->type_name("FILE");
  verb->add_flag("--exact", flags->exact,
                 "Show exact figures of a sweep that was charged: for the holder, not private");
}

}  // namespace dpfermi::cli
