#include "torch/kernels_cpu.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

namespace dpfermi::deep::cpu {
namespace {

/// trunc(value) by the bits of value + 1.5 * 2^52, which vectorises where a conversion to 64 bits
/// does not. Exact for |value| < 2^51.
inline std::int64_t truncated(double value) {
  constexpr double kAnchor = 0x1.8p52;
  return std::bit_cast<std::int64_t>(std::trunc(value) + kAnchor) -
         std::bit_cast<std::int64_t>(kAnchor);
}

/// Means over the pixels of two terms a channel; add(p, c, first, second) adds those of a pixel.
struct Moments {
  explicit Moments(std::int64_t channels)
      : first(static_cast<std::size_t>(channels)), second(static_cast<std::size_t>(channels)) {}

  template <class Add>
  void take(std::int64_t pixels, const Add& add) {
    std::ranges::fill(first, 0.0);
    std::ranges::fill(second, 0.0);
    for (std::int64_t p = 0; p < pixels; ++p) add(p, first.data(), second.data());
    for (double& value : first) value /= static_cast<double>(pixels);
    for (double& value : second) value /= static_cast<double>(pixels);
  }

  std::vector<double> first, second;
};

}  // namespace

void norm_relu(const float* x, float* y, float* mean, float* invstd, const Images& images,
               double eps) {
  const std::int64_t channels = images.channels;
  const std::int64_t size = images.pixels * channels;
  Moments moments(channels);
  for (std::int64_t row = 0; row < images.rows; ++row) {
    const float* __restrict in = x + row * size;
    float* __restrict out = y + row * size;
    float* __restrict centre = mean + row * channels;
    float* __restrict scale = invstd + row * channels;
    moments.take(images.pixels, [=](std::int64_t p, double* __restrict sum, double* __restrict sq) {
      for (std::int64_t c = 0; c < channels; ++c) {
        const double value = in[p * channels + c];
        sum[c] += value;
        sq[c] += value * value;
      }
    });
    for (std::int64_t c = 0; c < channels; ++c) {
      const auto i = static_cast<std::size_t>(c);
      const double variance = moments.second[i] - moments.first[i] * moments.first[i];
      centre[c] = static_cast<float>(moments.first[i]);
      // A variance that is not a number stays so, and with it the row.
      scale[c] = static_cast<float>(1 / std::sqrt((variance < 0 ? 0 : variance) + eps));
    }
    for (std::int64_t p = 0; p < images.pixels; ++p) {
      for (std::int64_t c = 0; c < channels; ++c) {
        const float z = (in[p * channels + c] - centre[c]) * scale[c];
        out[p * channels + c] = z < 0 ? 0 : z;
      }
    }
  }
}

void norm_relu_backward(const float* x, const float* mean, const float* invstd, const float* dy,
                        float* dx, const Images& images) {
  const std::int64_t channels = images.channels;
  const std::int64_t size = images.pixels * channels;
  Moments moments(channels);
  std::vector<float> of_d(static_cast<std::size_t>(channels));
  std::vector<float> of_dz(static_cast<std::size_t>(channels));
  for (std::int64_t row = 0; row < images.rows; ++row) {
    const float* __restrict in = x + row * size;
    const float* __restrict after = dy + row * size;
    const float* __restrict centre = mean + row * channels;
    const float* __restrict scale = invstd + row * channels;
    moments.take(images.pixels, [=](std::int64_t p, double* __restrict sum, double* __restrict sz) {
      for (std::int64_t c = 0; c < channels; ++c) {
        const float z = (in[p * channels + c] - centre[c]) * scale[c];
        const float full = after[p * channels + c];
        const float d = z > 0 ? full : 0;
        sum[c] += d;
        sz[c] += static_cast<double>(d) * z;
      }
    });
    std::ranges::transform(moments.first, of_d.begin(), [](double v) { return float(v); });
    std::ranges::transform(moments.second, of_dz.begin(), [](double v) { return float(v); });
    const float* __restrict mean_d = of_d.data();
    const float* __restrict mean_dz = of_dz.data();
    float* __restrict before = dx + row * size;
    for (std::int64_t p = 0; p < images.pixels; ++p) {
      for (std::int64_t c = 0; c < channels; ++c) {
        const float z = (in[p * channels + c] - centre[c]) * scale[c];
        const float full = after[p * channels + c];
        const float d = z > 0 ? full : 0;
        before[p * channels + c] = (d - mean_d[c] - z * mean_dz[c]) * scale[c];
      }
    }
  }
}

double squared_norm(const float* g, std::int64_t n) {
  constexpr std::int64_t kLanes = 16;
  double lanes[kLanes] = {};
  std::int64_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const double value = g[j + lane];
      lanes[lane] += value * value;
    }
  }
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  for (; j < n; ++j) sum += static_cast<double>(g[j]) * g[j];
  return sum;
}

void add_lattice(const float* __restrict g, double factor, std::int64_t* __restrict sums,
                 std::int64_t n) {
  for (std::int64_t j = 0; j < n; ++j) sums[j] += truncated(factor * g[j]);
}

void add_lattice_outer(const float* __restrict d, std::int64_t outputs, const float* __restrict a,
                       std::int64_t inputs, double factor, std::int64_t* __restrict sums) {
  for (std::int64_t k = 0; k < outputs; ++k) {
    const double scaled = factor * d[k];
    for (std::int64_t t = 0; t < inputs; ++t) sums[k * inputs + t] += truncated(scaled * a[t]);
  }
}

}  // namespace dpfermi::deep::cpu
