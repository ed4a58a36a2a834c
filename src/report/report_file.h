#pragma once

#include <cstddef>
#include <filesystem>

#include "dpfermi/core/result.h"
#include "experiment/run_store.h"

namespace dpfermi {

struct ReportSummary {
  std::size_t runs = 0;
  std::size_t panels = 0;
  std::size_t bytes = 0;
  bool complete = false;
  bool exact = false;  ///< whether exact figures of groups are shown
};

/// Whether a page or table of these results shows exact violations and rates of groups. Where a
/// ledger counts the runs, which other releases then depend on, the holder of the data has to ask
/// for them.
bool shows_exact(const SweepResults& results, bool asked);

/// Reads a results folder and writes its page in one step; `exact`: asked for.
Result<ReportSummary> write_report(const std::filesystem::path& results,
                                   const std::filesystem::path& out, bool exact = false);

}  // namespace dpfermi
