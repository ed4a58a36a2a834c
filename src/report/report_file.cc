#include "report/report_file.h"

#include <fmt/format.h>

#include "core/file.h"
#include "experiment/public_figures.h"
#include "report/report_page.h"

namespace dpfermi {

bool shows_exact(const SweepResults& results, bool asked) {
  return asked || results.description.stamp != kChargedStamp;
}

Result<ReportSummary> write_report(const std::filesystem::path& results,
                                   const std::filesystem::path& out, bool exact) {
  DPFERMI_ASSIGN(const SweepResults read, read_results(results));
  if (read.runs.empty()) {
    return failed(
        fmt::format("{}: no run has been finished there yet; let the sweep go on with "
                    "`resume`",
                    results.string()));
  }
  ReportSummary written{.runs = read.runs.size(), .complete = read.complete};
  written.exact = shows_exact(read, exact);
  std::string page;
  if (written.exact) {
    const ReportData data = summarise(read);
    written.panels = data.panels.size();
    DPFERMI_ASSIGN(page, report_page(data));
  } else {
    written.panels = public_panels(read.runs).size();
    DPFERMI_ASSIGN(page, public_page(read));
  }
  written.bytes = page.size();
  DPFERMI_TRY(write_file_atomically(out, page));
  return written;
}

}  // namespace dpfermi
