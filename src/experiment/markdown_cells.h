#pragma once

/// Pieces of Markdown tables.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "experiment/summary.h"

namespace dpfermi {

/// "0.1384 ± 0.0021"; of one split, where chance is not known, the figure alone.
inline std::string figure(const Estimate& estimate) {
  if (estimate.error == 0) return fmt::format("{:.4f}", estimate.mean);
  return fmt::format("{:.4f} ± {:.4f}", estimate.mean, estimate.error);
}

inline std::string row(const std::vector<std::string>& cells) {
  return fmt::format("| {} |\n", fmt::join(cells, " | "));
}

inline std::string header(const std::vector<std::string>& cells) {
  return row(cells) + row(std::vector<std::string>(cells.size(), "---"));
}

inline const Comparison& of(const NamedComparison& comparison, ViolationOf rows) {
  return rows == ViolationOf::kTest ? comparison.test : comparison.train;
}

/// "dominates, -0.0073, from 0.009": the mean difference, and the least violation that both reach.
inline std::string verdict_text(const Comparison& comparison) {
  if (comparison.verdict == Verdict::kNone) return "-";
  return fmt::format("{}, {:+.4f}, from {:.3f}", to_string(comparison.verdict),
                     comparison.mean_difference, comparison.levels.front().violation);
}

/// One table a panel and private method: everything that it was compared with, down; epsilon,
/// across.
std::string rivals_text(const Summary& summary, ViolationOf rows, const SummaryFilter& filter);

/// "target 0.05" or the lambda.
std::string weight(const CurveModel& model);

/// One table for all panels.
std::string free_line_text(const Summary& summary, ViolationOf rows, const SummaryFilter& filter);
std::string covered_text(const Summary& summary, ViolationOf rows, const SummaryFilter& filter);
std::string literature_text(const Summary& summary);
std::string claims_text(const Summary& summary);

}  // namespace dpfermi
