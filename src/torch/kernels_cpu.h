#pragma once

/// The CPU side of kernels.h, on float32 memory: one thread, one pass where libtorch needs several.
/// Plain C++, so that it may be compiled for newer processors than libtorch's headers.

#include <cstdint>

namespace dpfermi::deep::cpu {

/// Channels-last: rows x pixels x channels.
struct Images {
  std::int64_t rows, pixels, channels;
};

/// Moments are summed in double.
void norm_relu(const float* x, float* y, float* mean, float* invstd, const Images& images,
               double eps);
void norm_relu_backward(const float* x, const float* mean, const float* invstd, const float* dy,
                        float* dx, const Images& images);

/// Of n numbers, in double.
double squared_norm(const float* g, std::int64_t n);

/// sums[j] += trunc(factor g[j]). Requires |factor g[j]| < 2^51.
void add_lattice(const float* g, double factor, std::int64_t* sums, std::int64_t n);

/// sums[k, t] += trunc(factor d[k] a[t]). Requires as above.
void add_lattice_outer(const float* d, std::int64_t outputs, const float* a, std::int64_t inputs,
                       double factor, std::int64_t* sums);

}  // namespace dpfermi::deep::cpu
