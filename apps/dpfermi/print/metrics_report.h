#pragma once

/// Exact figures, for people. They read s and are labelled so.

#include <span>
#include <string>
#include <vector>

#include "dpfermi/evaluate/metrics.h"

namespace dpfermi::cli {

/// The figures of one set of rows: "train", "test".
struct NamedMetrics {
  std::string name;
  const Metrics* metrics;
};

/// Error and violations of every set, then the rates of every group in it.
std::string metrics_text(std::span<const NamedMetrics> sets,
                         const std::vector<std::string>& classes, std::size_t favourable,
                         const std::vector<std::string>& groups);

/// AUC, balanced error, precision, recall and Brier score of all rows and, where s is known, of
/// every group; then the calibration of the same. `groups` empty: all rows alone, which reads no s.
std::string performance_text(const Metrics& metrics, const std::vector<std::string>& groups,
                             const std::string& favourable);
std::string performance_text(const Performance& performance, const std::string& favourable);

}  // namespace dpfermi::cli
