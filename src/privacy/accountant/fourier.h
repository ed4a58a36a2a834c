#pragma once

/// The Fourier transform, its round-off and the sizes it is quick for.

#include <complex>
#include <cstddef>
#include <vector>

namespace dpfermi::accountant {

/// The smallest 2^a or 3*2^a that is at least `least`.
std::size_t transform_size(std::size_t least);

/// Unscaled transforms of any size; the inverse divides by the size.
void forward_transform(const std::vector<std::complex<double>>& in,
                       std::vector<std::complex<double>>& out);
void inverse_transform(const std::vector<std::complex<double>>& in,
                       std::vector<std::complex<double>>& out);

/// A bound on |computed - exact|_2 / |exact|_2 of either transform of `size` points: a butterfly
/// stage costs at most 20 units of round-off in the 2-norm, half of it for inexact twiddles.
double transform_error(std::size_t size);

}  // namespace dpfermi::accountant
