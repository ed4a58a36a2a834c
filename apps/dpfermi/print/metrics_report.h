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

}  // namespace dpfermi::cli
