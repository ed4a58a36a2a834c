#pragma once

#include <cstddef>
#include <filesystem>

#include "dpfermi/core/result.h"
#include "experiment/run_store.h"

namespace dpfermi::cli {

struct ReportSummary {
  std::size_t runs = 0;
  std::size_t panels = 0;
  std::size_t bytes = 0;
  bool complete = false;
};

/// Reads the results of a sweep. Records hold exact violations and rates of groups: where a ledger
/// counts the runs, which other releases then depend on, the holder of the data has to ask for them
/// (`exact`).
Result<SweepResults> read_figures(const std::filesystem::path& results, bool exact);

/// Reads a results folder and writes its page in one step.
Result<ReportSummary> write_report(const std::filesystem::path& results,
                                   const std::filesystem::path& out, bool exact = false);

}  // namespace dpfermi::cli
