#pragma once

/// What the CUDA file offers: raw pointers, so that nvcc never sees libtorch. Every function
/// launches on `stream` and returns the launch's error (0: none).

#include <cuda_runtime_api.h>

#include <cstdint>

namespace dpfermi::deep::cuda {

enum class Element { kFloat, kBfloat16 };

struct Images {
  int rows;
  int pixels;
  int channels;
};

cudaError_t norm_relu(Element type, const void* x, void* y, float* mean, float* invstd,
                      Images images, float eps, cudaStream_t stream);
cudaError_t norm_relu_backward(Element type, const void* x, const float* mean, const float* invstd,
                               const void* dy, void* dx, Images images, cudaStream_t stream);
struct Spread {
  int rows, height, width, channels;  ///< of the images
  int kernel, stride, padding;
  int lines, columns;  ///< image rows / stride, output columns
};
cudaError_t spread_windows(Element type, const void* x, void* windows, Spread spread,
                           cudaStream_t stream);
cudaError_t add_squared_norms(Element type, const void* g, double* norms, int rows,
                              std::int64_t entries, cudaStream_t stream);
cudaError_t add_lattice(Element type, const void* g, const double* factors, std::int64_t* sums,
                        int rows, std::int64_t entries, cudaStream_t stream);
cudaError_t add_lattice_outer(Element type, const void* d, const void* a, const double* factors,
                              std::int64_t* sums, int rows, int outputs, int inputs,
                              cudaStream_t stream);

}  // namespace dpfermi::deep::cuda
