#pragma once

#include <cmath>
#include <numeric>
#include <span>

namespace dpfermi::examples {

struct Estimate {
  double mean;
  double error;  ///< standard error; 0 for a single value
};

/// Of independent values.
inline Estimate estimate(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double square = 0;
  for (const double value : values) square += (value - mean) * (value - mean);
  return {mean, count > 1 ? std::sqrt(square / (count - 1) / count) : 0};
}

}  // namespace dpfermi::examples
