#pragma once

/// The second engine: delta(eps) = 1/(2 pi i) int e^{K(z) - z eps} / (z (z + 1)) dz along a
/// vertical line through the saddle point. It shares nothing with the grid but the definition of
/// the pairs, and estimates instead of bounding.

#include <optional>
#include <span>

#include "privacy/accountant/loss_pair.h"

namespace dpfermi::accountant {

/// delta(epsilon) to a relative accuracy of about 1e-8, or nothing where the integral converges too
/// slowly to tell (few steps, atoms, Tq below about 1).
std::optional<double> contour_delta(std::span<const Component> components, double epsilon);

/// The epsilon >= 0 of a given delta by the same integral, or nothing.
std::optional<double> contour_epsilon(std::span<const Component> components, double delta);

}  // namespace dpfermi::accountant
