#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "model/network.h"

namespace dpfermi {

/// The class that a model decides for, of every row.
inline std::vector<std::uint16_t> decisions_of(const HybridMatrix& x, const Network& network,
                                               std::span<const double> theta) {
  const std::size_t l = network.spec().classes;
  const std::vector<float> f = predict(network, theta, x);
  std::vector<std::uint16_t> decisions(x.rows());
  for (std::size_t row = 0; row < x.rows(); ++row) {
    const std::span<const float> own = std::span(f).subspan(row * l, l);
    decisions[row] = static_cast<std::uint16_t>(std::ranges::max_element(own) - own.begin());
  }
  return decisions;
}

}  // namespace dpfermi
