#pragma once

/// AUC, balanced error, precision, recall, Brier score and calibration of rows.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "dpfermi/evaluate/metrics.h"

namespace dpfermi {

/// Class probabilities of every row, and what is decided; nothing: figures are expectations.
struct Judged {
  std::span<const float> probabilities;
  std::optional<std::vector<std::uint16_t>> decisions;
  std::vector<double> weights;  ///< of rows; empty: 1

  double weight(std::size_t row) const { return weights.empty() ? 1 : weights[row]; }
};

/// Reads labels alone. Requires probabilities of all rows of `data`.
Performance performance_of(const Judged& judged, const Dataset& data, std::size_t favourable,
                           std::span<const std::uint32_t> rows);

}  // namespace dpfermi
