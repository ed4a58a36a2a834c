#pragma once

#include <cstddef>
#include <filesystem>

#include "dpfermi/core/result.h"

namespace dpfermi::cli {

struct ReportSummary {
  std::size_t runs = 0;
  std::size_t panels = 0;
  std::size_t bytes = 0;
  bool complete = false;
};

/// Reads a results folder and writes its page in one step.
Result<ReportSummary> write_report(const std::filesystem::path& results,
                                   const std::filesystem::path& out);

}  // namespace dpfermi::cli
