#pragma once

#include <algorithm>
#include <cmath>
#include <span>

namespace dpfermi {

/// log sum_j exp(z_j) of one row of logits, given its probabilities p; one logit z stands for
/// (0, z), and p for that of the second. The largest probability is at least 1/l, so that one
/// logarithm does, without loss of digits.
inline double log_partition(std::span<const double> z, std::span<const double> p) {
  if (z.size() == 1) return std::max(z[0], 0.0) - std::log(std::max(p[0], 1 - p[0]));
  const auto best = static_cast<std::size_t>(std::ranges::max_element(z) - z.begin());
  return z[best] - std::log(p[best]);
}

}  // namespace dpfermi
