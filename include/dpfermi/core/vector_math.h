#pragma once

/// Elementary functions over arrays, written so that the compiler vectorises them: the same result
/// on every machine of the architecture, within 1e-15 relative of the exact one.

#include <cstddef>
#include <span>

namespace dpfermi {

/// out_i = 1 / (1 + exp(-scale in_i)).
void sigmoid(std::span<const double> in, double scale, std::span<double> out);

/// Each row of `in` (rows x width): exp(scale in_j) / sum_h exp(scale in_h).
void softmax(std::span<const double> in, std::size_t width, double scale, std::span<double> out);

/// sum_i a_i b_i, in running sums side by side so that the additions overlap. Requires equal sizes.
double dot(std::span<const double> a, std::span<const double> b);

/// In place.
void hyperbolic_tangent(std::span<double> values);

}  // namespace dpfermi
