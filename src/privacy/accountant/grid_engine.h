#pragma once

/// Certified bounds by composition on a grid whose spacing follows from the tolerance.

#include <span>

#include "privacy/accountant/loss_pair.h"

namespace dpfermi::accountant {

struct GridAnswer {
  double lower;
  double upper;
  double theta;        ///< the tilt
  double h;            ///< the grid's spacing
  std::size_t points;  ///< of the transform
};

/// Requires: 1e-100 <= delta < 1, a non-empty list, tolerance > 0.
/// Ensures: lower <= epsilon(delta) <= upper for this direction of the pairs. The width is about
/// tolerance * max(1, epsilon) or less wherever the pairs allow it, unless upper <= `enough`
/// already. Why: docs/proofs/tilted-bound.md.
GridAnswer grid_epsilon(std::span<const Component> components, double delta, double tolerance,
                        double enough);

/// The same for delta(epsilon), epsilon >= 0. The width is that of delta over an interval of
/// epsilon of about the tolerance.
GridAnswer grid_delta(std::span<const Component> components, double epsilon, double tolerance,
                      double enough);

}  // namespace dpfermi::accountant
