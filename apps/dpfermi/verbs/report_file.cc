#include "verbs/report_file.h"

#include <fmt/format.h>

#include "core/file.h"
#include "report/report_page.h"

namespace dpfermi::cli {

Result<SweepResults> read_figures(const std::filesystem::path& results, bool exact) {
  DPFERMI_ASSIGN(SweepResults read, read_results(results));
  if (exact || read.description.stamp != kChargedStamp) return read;
  return usage_error(fmt::format(
      "{}: these runs are booked in a ledger, and their violations and rates of groups are exact: "
      "what is chosen by them is not covered by its promise; --exact shows them to the holder of "
      "the data, 'dpfermi evaluate --epsilon' releases such figures with noise",
      results.string()));
}

Result<ReportSummary> write_report(const std::filesystem::path& results,
                                   const std::filesystem::path& out, bool exact) {
  DPFERMI_ASSIGN(const SweepResults read, read_figures(results, exact));
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
