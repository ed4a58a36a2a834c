#include "verbs/report_file.h"

#include <fmt/format.h>

#include "core/file.h"
#include "experiment/run_store.h"
#include "report/report_page.h"

namespace dpfermi::cli {

Result<ReportSummary> write_report(const std::filesystem::path& results,
                                   const std::filesystem::path& out) {
  DPFERMI_ASSIGN(const SweepResults read, read_results(results));
  if (read.runs.empty()) {
    return failed(
        fmt::format("{}: no run has been finished there yet; let 'dpfermi sweep' go on "
                    "with --resume",
                    results.string()));
  }
  const ReportData data = summarise(read);
  DPFERMI_ASSIGN(const std::string page, report_page(data));
  DPFERMI_TRY(write_file_atomically(out, page));
  return ReportSummary{data.runs, data.panels.size(), page.size(), data.complete};
}

}  // namespace dpfermi::cli
