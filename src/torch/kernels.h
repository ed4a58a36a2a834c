#pragma once

/// The operations that libtorch has not, or has only in several passes over memory. One declaration
/// each; the tensor's device decides between kernels_cpu.h and CUDA.
///
/// Images are channels-last throughout: (rows, channels, height, width) by index, (rows, height,
/// width, channels) in memory.

#include <ATen/core/Tensor.h>

namespace dpfermi::deep {

struct Normalised {
  at::Tensor y;       ///< as x
  at::Tensor mean;    ///< rows x channels, float32
  at::Tensor invstd;  ///< 1 / sqrt(variance + eps)
};

/// y = max(0, (x - mean) invstd) with mean and variance over the pixels of each row and channel.
Normalised norm_relu(const at::Tensor& x, double eps);

/// The derivative at x, given the one at y.
at::Tensor norm_relu_backward(const at::Tensor& x, const Normalised& kept, const at::Tensor& dy);

/// The windows that output pixels of a convolution see, spread along image rows only: for every
/// image row and output column the `kernel` columns beside each other, a third of im2col's memory
/// for a 3x3 kernel. Image rows are sorted by (row mod stride), so that those which kernel row r
/// sees are one contiguous run. (rows, stride, lines, width, kernel * channels), zeros outside of
/// the image.
struct Windows {
  std::int64_t kernel, stride, padding;
  std::int64_t height, width;  ///< of the output
  std::int64_t lines() const { return height + (kernel - 1) / stride; }
};
at::Tensor spread_windows(const at::Tensor& x, const Windows& windows);

/// norms[i] += sum_j g[i, j]^2, in double. Squares of floats are exact there, so a row's norm has
/// seen at most as many roundings as it has entries.
void add_squared_norms(const at::Tensor& g, const at::Tensor& norms);

/// sums[j] += sum_i trunc(factors[i] g[i, j]); rows of factor 0 are skipped, whatever they hold.
void add_lattice(const at::Tensor& g, const at::Tensor& factors, const at::Tensor& sums);

/// sums[k, t] += sum_i trunc(factors[i] d[i, k] a[i, t]), the products never being stored.
void add_lattice_outer(const at::Tensor& d, const at::Tensor& a, const at::Tensor& factors,
                       const at::Tensor& sums);

}  // namespace dpfermi::deep
