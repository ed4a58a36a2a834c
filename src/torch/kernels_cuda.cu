#include <cuda_bf16.h>

#include <numeric>
#include <type_traits>

#include "torch/kernels_cuda.h"

namespace dpfermi::deep::cuda {
namespace {

constexpr int kThreads = 512;
/// Rows that one block of add_lattice* sums before it touches the shared total.
constexpr int kSlab = 32;

/// kWidth neighbouring values, loaded and stored as one word of up to 16 bytes.
template <class T, int kWidth>
struct alignas(sizeof(T) * kWidth) Pack {
  T v[kWidth];
};

__device__ float to_float(float x) { return x; }
__device__ float to_float(__nv_bfloat16 x) { return __bfloat162float(x); }
__device__ void store(float& to, float x) { to = x; }
__device__ void store(__nv_bfloat16& to, float x) { to = __float2bfloat16(x); }

/// A block has one row's slab of channels. Thread (lane, line) walks the pixels line, line + lines,
/// ... of kWidth channels.
template <int kWidth>
struct Walk {
  int lanes, lane, line, lines, channel;
  std::int64_t base;
  __device__ Walk(Images images, int slab)
      : lanes(slab / kWidth),
        lane(static_cast<int>(threadIdx.x) % lanes),
        line(static_cast<int>(threadIdx.x) / lanes),
        lines(kThreads / lanes),
        channel(static_cast<int>(blockIdx.x) * slab + lane * kWidth),
        base(static_cast<std::int64_t>(blockIdx.y) * images.pixels * images.channels + channel) {}
};

/// Sums two values per channel over the lines of a block, in a fixed order; all threads get them.
template <int kWidth>
__device__ void sum_lines(const Walk<kWidth>& walk, float (&first)[kWidth],
                          float (&second)[kWidth]) {
  __shared__ float partial[2][kThreads * kWidth];
  const int width = walk.lanes * kWidth;
  const int at = walk.line * width + walk.lane * kWidth;
  if (walk.line < walk.lines) {
    for (int k = 0; k < kWidth; ++k) {
      partial[0][at + k] = first[k];
      partial[1][at + k] = second[k];
    }
  }
  __syncthreads();
  for (int c = static_cast<int>(threadIdx.x); c < 2 * width; c += kThreads) {
    float* column = partial[c / width] + c % width;
    float total = 0;
    for (int line = 0; line < walk.lines; ++line) total += column[line * width];
    column[0] = total;
  }
  __syncthreads();
  for (int k = 0; k < kWidth; ++k) {
    first[k] = partial[0][walk.lane * kWidth + k];
    second[k] = partial[1][walk.lane * kWidth + k];
  }
}

template <class T, int kWidth>
__global__ void __launch_bounds__(kThreads)
    norm_relu_kernel(const T* x, T* y, float* mean, float* invstd, Images images, int slab,
                     float eps) {
  using P = Pack<T, kWidth>;
  const Walk<kWidth> walk(images, slab);
  // Moments around the first pixel: no cancellation where the mean is large.
  const P origin = *reinterpret_cast<const P*>(x + walk.base);
  float sum[kWidth] = {}, square[kWidth] = {};
  if (walk.line < walk.lines) {
#pragma unroll 4
    for (int p = walk.line; p < images.pixels; p += walk.lines) {
      const P in = *reinterpret_cast<const P*>(x + walk.base +
                                               static_cast<std::int64_t>(p) * images.channels);
      for (int k = 0; k < kWidth; ++k) {
        const float v = to_float(in.v[k]) - to_float(origin.v[k]);
        sum[k] += v;
        square[k] += v * v;
      }
    }
  }
  sum_lines<kWidth>(walk, sum, square);
  float m[kWidth], s[kWidth];
  const float inverse = 1.0F / static_cast<float>(images.pixels);
  for (int k = 0; k < kWidth; ++k) {
    const float offset = sum[k] * inverse;
    m[k] = to_float(origin.v[k]) + offset;
    s[k] = rsqrtf(fmaxf(square[k] * inverse - offset * offset, 0.0F) + eps);
    if (walk.line == 0) {
      mean[blockIdx.y * images.channels + walk.channel + k] = m[k];
      invstd[blockIdx.y * images.channels + walk.channel + k] = s[k];
    }
  }
  if (walk.line >= walk.lines) return;
#pragma unroll 4
  for (int p = walk.line; p < images.pixels; p += walk.lines) {
    const std::int64_t at = walk.base + static_cast<std::int64_t>(p) * images.channels;
    const P in = *reinterpret_cast<const P*>(x + at);
    P out;
    for (int k = 0; k < kWidth; ++k) {
      store(out.v[k], fmaxf((to_float(in.v[k]) - m[k]) * s[k], 0.0F));
    }
    *reinterpret_cast<P*>(y + at) = out;
  }
}

template <class T, int kWidth>
__global__ void __launch_bounds__(kThreads)
    norm_relu_backward_kernel(const T* x, const float* mean, const float* invstd, const T* dy,
                              T* dx, Images images, int slab) {
  using P = Pack<T, kWidth>;
  const Walk<kWidth> walk(images, slab);
  float m[kWidth], s[kWidth], sum[kWidth] = {}, product[kWidth] = {};
  for (int k = 0; k < kWidth; ++k) {
    m[k] = mean[blockIdx.y * images.channels + walk.channel + k];
    s[k] = invstd[blockIdx.y * images.channels + walk.channel + k];
  }
  if (walk.line < walk.lines) {
#pragma unroll 2
    for (int p = walk.line; p < images.pixels; p += walk.lines) {
      const std::int64_t at = walk.base + static_cast<std::int64_t>(p) * images.channels;
      const P in = *reinterpret_cast<const P*>(x + at);
      const P out = *reinterpret_cast<const P*>(dy + at);
      for (int k = 0; k < kWidth; ++k) {
        const float z = (to_float(in.v[k]) - m[k]) * s[k];
        const float d = z > 0 ? to_float(out.v[k]) : 0.0F;
        sum[k] += d;
        product[k] += d * z;
      }
    }
  }
  sum_lines<kWidth>(walk, sum, product);
  if (walk.line >= walk.lines) return;
  const float inverse = 1.0F / static_cast<float>(images.pixels);
#pragma unroll 2
  for (int p = walk.line; p < images.pixels; p += walk.lines) {
    const std::int64_t at = walk.base + static_cast<std::int64_t>(p) * images.channels;
    const P in = *reinterpret_cast<const P*>(x + at);
    const P out = *reinterpret_cast<const P*>(dy + at);
    P result;
    for (int k = 0; k < kWidth; ++k) {
      const float z = (to_float(in.v[k]) - m[k]) * s[k];
      const float d = z > 0 ? to_float(out.v[k]) : 0.0F;
      store(result.v[k], s[k] * (d - sum[k] * inverse - z * product[k] * inverse));
    }
    *reinterpret_cast<P*>(dx + at) = result;
  }
}

/// A thread has kWidth channels of one kernel column of one output column; a block, neighbours of
/// one image row.
template <class T, int kWidth>
__global__ void spread_kernel(const T* x, T* windows, Spread s) {
  using P = Pack<T, kWidth>;
  const int run = s.kernel * s.channels / kWidth;
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at >= s.columns * run) return;
  const int column = at / run;
  const int entry = at % run * kWidth;
  const int row = static_cast<int>(blockIdx.z);
  const int line = static_cast<int>(blockIdx.y);
  const int h = line % s.lines * s.stride + line / s.lines - s.padding;
  const int w = column * s.stride - s.padding + entry / s.channels;
  P value{};
  if (h >= 0 && h < s.height && w >= 0 && w < s.width) {
    const std::int64_t from =
        ((static_cast<std::int64_t>(row) * s.height + h) * s.width + w) * s.channels +
        entry % s.channels;
    value = *reinterpret_cast<const P*>(x + from);
  }
  const std::int64_t to =
      (static_cast<std::int64_t>(row) * s.stride * s.lines + line) * s.columns * run + at;
  reinterpret_cast<P*>(windows)[to] = value;
}

/// One block per row and a fixed order of summation: the norm is a function of the row.
template <class T, int kWidth>
__global__ void __launch_bounds__(kThreads)
    squared_norms_kernel(const T* g, double* norms, std::int64_t entries) {
  using P = Pack<T, kWidth>;
  __shared__ double partial[kThreads];
  const P* row = reinterpret_cast<const P*>(g + blockIdx.x * entries);
  double sum = 0;
#pragma unroll 4
  for (std::int64_t j = threadIdx.x; j < entries / kWidth; j += kThreads) {
    const P in = row[j];
    for (int k = 0; k < kWidth; ++k) {
      const double v = to_float(in.v[k]);
      sum += v * v;
    }
  }
  partial[threadIdx.x] = sum;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
  if (threadIdx.x == 0) norms[blockIdx.x] += partial[0];
}

__device__ void add(std::int64_t* to, std::int64_t value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
}

template <class T, int kWidth>
__global__ void lattice_kernel(const T* g, const double* factors, std::int64_t* sums, int rows,
                               std::int64_t entries) {
  using P = Pack<T, kWidth>;
  const std::int64_t j = (static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * kWidth;
  if (j >= entries) return;
  const int first = static_cast<int>(blockIdx.y) * kSlab;
  const int last = min(rows, first + kSlab);
  std::int64_t total[kWidth] = {};
#pragma unroll 4
  for (int i = first; i < last; ++i) {
    const double factor = factors[i];
    const P in = *reinterpret_cast<const P*>(g + i * entries + j);
    if (factor == 0) continue;
    for (int k = 0; k < kWidth; ++k) {
      total[k] += static_cast<std::int64_t>(factor * static_cast<double>(to_float(in.v[k])));
    }
  }
  for (int k = 0; k < kWidth; ++k) add(sums + j + k, total[k]);
}

template <class T>
__global__ void lattice_outer_kernel(const T* d, const T* a, const double* factors,
                                     std::int64_t* sums, int rows, int outputs, int inputs) {
  const int t = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (t >= inputs) return;
  const int output = static_cast<int>(blockIdx.y);
  const int first = static_cast<int>(blockIdx.z) * kSlab;
  const int last = min(rows, first + kSlab);
  std::int64_t total = 0;
#pragma unroll 4
  for (int i = first; i < last; ++i) {
    const double factor = factors[i];
    const double in = to_float(a[static_cast<std::int64_t>(i) * inputs + t]);
    if (factor == 0) continue;
    const double scaled = factor * static_cast<double>(to_float(d[i * outputs + output]));
    total += static_cast<std::int64_t>(scaled * in);
  }
  add(sums + static_cast<std::int64_t>(output) * inputs + t, total);
}

/// Calls f with the width of the widest pack that divides `entries`.
template <class T, class F>
void with_width(std::int64_t entries, F&& f) {
  constexpr int kWidest = 16 / sizeof(T);
  if (entries % kWidest == 0) {
    f(std::integral_constant<int, kWidest>{});
  } else if (entries % 2 == 0) {
    f(std::integral_constant<int, 2>{});
  } else {
    f(std::integral_constant<int, 1>{});
  }
}

template <class F>
void with_type(Element type, F&& f) {
  if (type == Element::kFloat) {
    f(float{});
  } else {
    f(__nv_bfloat16{});
  }
}

/// Channels of a block: at most a line of 128 bytes, so that blocks are many.
int slab_of(int channels, int size) { return std::gcd(channels, 128 / size); }

}  // namespace

cudaError_t norm_relu(Element type, const void* x, void* y, float* mean, float* invstd,
                      Images images, float eps, cudaStream_t stream) {
  with_type(type, [&](auto element) {
    using T = decltype(element);
    const int slab = slab_of(images.channels, sizeof(T));
    const dim3 grid(images.channels / slab, images.rows);
    with_width<T>(slab, [&](auto width) {
      norm_relu_kernel<T, decltype(width)::value><<<grid, kThreads, 0, stream>>>(
          static_cast<const T*>(x), static_cast<T*>(y), mean, invstd, images, slab, eps);
    });
  });
  return cudaGetLastError();
}

cudaError_t norm_relu_backward(Element type, const void* x, const float* mean, const float* invstd,
                               const void* dy, void* dx, Images images, cudaStream_t stream) {
  with_type(type, [&](auto element) {
    using T = decltype(element);
    const int slab = slab_of(images.channels, sizeof(T));
    const dim3 grid(images.channels / slab, images.rows);
    with_width<T>(slab, [&](auto width) {
      norm_relu_backward_kernel<T, decltype(width)::value><<<grid, kThreads, 0, stream>>>(
          static_cast<const T*>(x), mean, invstd, static_cast<const T*>(dy), static_cast<T*>(dx),
          images, slab);
    });
  });
  return cudaGetLastError();
}

cudaError_t spread_windows(Element type, const void* x, void* windows, Spread spread,
                           cudaStream_t stream) {
  constexpr int kBlock = 256;
  with_type(type, [&](auto element) {
    using T = decltype(element);
    with_width<T>(spread.channels, [&](auto width) {
      constexpr int kWidth = decltype(width)::value;
      const int threads = spread.columns * spread.kernel * spread.channels / kWidth;
      const dim3 grid((threads + kBlock - 1) / kBlock, spread.stride * spread.lines, spread.rows);
      spread_kernel<T, kWidth><<<grid, kBlock, 0, stream>>>(static_cast<const T*>(x),
                                                            static_cast<T*>(windows), spread);
    });
  });
  return cudaGetLastError();
}

cudaError_t add_squared_norms(Element type, const void* g, double* norms, int rows,
                              std::int64_t entries, cudaStream_t stream) {
  with_type(type, [&](auto element) {
    using T = decltype(element);
    with_width<T>(entries, [&](auto width) {
      squared_norms_kernel<T, decltype(width)::value>
          <<<rows, kThreads, 0, stream>>>(static_cast<const T*>(g), norms, entries);
    });
  });
  return cudaGetLastError();
}

cudaError_t add_lattice(Element type, const void* g, const double* factors, std::int64_t* sums,
                        int rows, std::int64_t entries, cudaStream_t stream) {
  constexpr int kBlock = 128;
  with_type(type, [&](auto element) {
    using T = decltype(element);
    with_width<T>(entries, [&](auto width) {
      constexpr int kWidth = decltype(width)::value;
      const auto blocks = static_cast<unsigned>((entries / kWidth + kBlock - 1) / kBlock);
      const dim3 grid(blocks, (rows + kSlab - 1) / kSlab);
      lattice_kernel<T, kWidth><<<grid, kBlock, 0, stream>>>(static_cast<const T*>(g), factors,
                                                             sums, rows, entries);
    });
  });
  return cudaGetLastError();
}

cudaError_t add_lattice_outer(Element type, const void* d, const void* a, const double* factors,
                              std::int64_t* sums, int rows, int outputs, int inputs,
                              cudaStream_t stream) {
  constexpr int kBlock = 256;
  with_type(type, [&](auto element) {
    using T = decltype(element);
    const dim3 grid((inputs + kBlock - 1) / kBlock, outputs, (rows + kSlab - 1) / kSlab);
    lattice_outer_kernel<T><<<grid, kBlock, 0, stream>>>(static_cast<const T*>(d),
                                                         static_cast<const T*>(a), factors, sums,
                                                         rows, outputs, inputs);
  });
  return cudaGetLastError();
}

}  // namespace dpfermi::deep::cuda
