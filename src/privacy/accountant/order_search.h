#pragma once

/// The Renyi order at which a bound is smallest.

#include <cmath>

namespace dpfermi::accountant {

struct BestOrder {
  double value;
  double order;
};

/// Tries orders from 1.001 to 2049, evenly in ln(alpha - 1), then closes in around the best one.
/// Every order gives a valid bound, so the search only has to be good, not exact.
template <class Bound>
BestOrder smallest_over_orders(const Bound& bound) {
  constexpr double kStep = 0.7;
  BestOrder best{bound(2.0), 2.0};
  double best_position = 0;
  const auto consider = [&](double position) {
    const double order = 1 + std::exp(position);
    const double value = bound(order);
    if (!(value < best.value)) return;
    best = {value, order};
    best_position = position;
  };
  for (double position = std::log(1e-3); position <= std::log(2048.0); position += kStep) {
    consider(position);
  }
  for (double step = kStep / 2; step > 0.005; step /= 2) {
    const double centre = best_position;
    consider(centre - step);
    consider(centre + step);
  }
  return best;
}

}  // namespace dpfermi::accountant
