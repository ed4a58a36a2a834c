#include "torch/kernels.h"

#include <ATen/ATen.h>

#include "torch/kernels_cpu.h"

#ifdef DPFERMI_TORCH_CUDA
#include <c10/cuda/CUDAStream.h>

#include "torch/kernels_cuda.h"
#endif

namespace dpfermi::deep {
namespace {

/// On a CPU everything is computed in float32, whatever it is stored in.
at::Tensor images_in_float(const at::Tensor& x) {
  return x.to(at::kFloat).contiguous(at::MemoryFormat::ChannelsLast);
}

cpu::Images size_of(const at::Tensor& x) {
  return {x.size(0), x.size(2) * x.size(3), x.size(1)};
}

at::Tensor rows_in_float(const at::Tensor& g) {
  return g.to(at::kFloat).contiguous().flatten(1);
}

#ifdef DPFERMI_TORCH_CUDA
bool on_gpu(const at::Tensor& x) {
  return x.is_cuda() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16);
}

cuda::Element element_of(const at::Tensor& x) {
  return x.scalar_type() == at::kFloat ? cuda::Element::kFloat : cuda::Element::kBfloat16;
}

cudaStream_t stream() {
  return c10::cuda::getCurrentCUDAStream();
}

void check(cudaError_t error) {
  TORCH_CHECK(error == cudaSuccess, "CUDA: ", cudaGetErrorString(error));
}

cuda::Images images_of(const at::Tensor& x) {
  TORCH_CHECK(x.is_contiguous(at::MemoryFormat::ChannelsLast), "images must be channels-last");
  return {static_cast<int>(x.size(0)), static_cast<int>(x.size(2) * x.size(3)),
          static_cast<int>(x.size(1))};
}
#endif

}  // namespace

Normalised norm_relu(const at::Tensor& x, double eps) {
#ifdef DPFERMI_TORCH_CUDA
  if (on_gpu(x)) {
    const auto moments = x.options().dtype(at::kFloat);
    Normalised kept{at::empty_like(x), at::empty({x.size(0), x.size(1)}, moments),
                    at::empty({x.size(0), x.size(1)}, moments)};
    check(cuda::norm_relu(element_of(x), x.data_ptr(), kept.y.data_ptr(),
                          kept.mean.data_ptr<float>(), kept.invstd.data_ptr<float>(), images_of(x),
                          static_cast<float>(eps), stream()));
    return kept;
  }
#endif
  const at::Tensor wide = images_in_float(x);
  Normalised kept{at::empty_like(wide), at::empty({x.size(0), x.size(1)}, wide.options()),
                  at::empty({x.size(0), x.size(1)}, wide.options())};
  cpu::norm_relu(wide.data_ptr<float>(), kept.y.data_ptr<float>(), kept.mean.data_ptr<float>(),
                 kept.invstd.data_ptr<float>(), size_of(wide), eps);
  kept.y = kept.y.to(x.scalar_type());
  return kept;
}

at::Tensor norm_relu_backward(const at::Tensor& x, const Normalised& kept, const at::Tensor& dy) {
#ifdef DPFERMI_TORCH_CUDA
  if (on_gpu(x)) {
    const at::Tensor d = dy.contiguous(at::MemoryFormat::ChannelsLast);
    at::Tensor dx = at::empty_like(x);
    check(cuda::norm_relu_backward(element_of(x), x.data_ptr(), kept.mean.data_ptr<float>(),
                                   kept.invstd.data_ptr<float>(), d.data_ptr(), dx.data_ptr(),
                                   images_of(x), stream()));
    return dx;
  }
#endif
  const at::Tensor wide = images_in_float(x);
  const at::Tensor d = images_in_float(dy);
  const at::Tensor dx = at::empty_like(wide);
  cpu::norm_relu_backward(wide.data_ptr<float>(), kept.mean.data_ptr<float>(),
                          kept.invstd.data_ptr<float>(), d.data_ptr<float>(), dx.data_ptr<float>(),
                          size_of(wide));
  return dx.to(x.scalar_type());
}

at::Tensor spread_windows(const at::Tensor& x, const Windows& windows) {
  const std::int64_t s = windows.stride;
  const std::int64_t c = x.size(1);
  const std::int64_t run = windows.kernel * c;
  const std::int64_t lines = windows.lines();
#ifdef DPFERMI_TORCH_CUDA
  if (on_gpu(x)) {
    const at::Tensor images = x.contiguous(at::MemoryFormat::ChannelsLast);
    at::Tensor spread = at::empty({x.size(0), s, lines, windows.width, run}, x.options(),
                                  at::MemoryFormat::Contiguous);
    const auto narrow = [](std::int64_t value) { return static_cast<int>(value); };
    check(cuda::spread_windows(
        element_of(x), images.data_ptr(), spread.data_ptr(),
        {narrow(x.size(0)), narrow(x.size(2)), narrow(x.size(3)), narrow(c), narrow(windows.kernel),
         narrow(s), narrow(windows.padding), narrow(lines), narrow(windows.width)},
        stream()));
    return spread;
  }
#endif
  const std::int64_t below = s * lines - x.size(2) - windows.padding;
  const std::int64_t right = s * (windows.width - 1) + windows.kernel - x.size(3) - windows.padding;
  const at::Tensor padded =
      at::constant_pad_nd(x.permute({0, 2, 3, 1}),
                          {0, 0, windows.padding, right, windows.padding, below})
          .contiguous();
  const std::int64_t pitch = padded.size(2) * c;
  return padded
      .as_strided({x.size(0), s, lines, windows.width, run},
                  {padded.size(1) * pitch, pitch, s * pitch, s * c, 1})
      .contiguous();
}

void add_squared_norms(const at::Tensor& g, const at::Tensor& norms) {
#ifdef DPFERMI_TORCH_CUDA
  if (on_gpu(g)) {
    const at::Tensor flat = g.contiguous();
    check(cuda::add_squared_norms(element_of(g), flat.data_ptr(), norms.data_ptr<double>(),
                                  static_cast<int>(g.size(0)), g.numel() / g.size(0), stream()));
    return;
  }
#endif
  const at::Tensor flat = rows_in_float(g);
  for (std::int64_t i = 0; i < flat.size(0); ++i) {
    norms.data_ptr<double>()[i] += cpu::squared_norm(flat[i].data_ptr<float>(), flat.size(1));
  }
}

void add_lattice(const at::Tensor& g, const at::Tensor& factors, const at::Tensor& sums) {
#ifdef DPFERMI_TORCH_CUDA
  if (on_gpu(g)) {
    const at::Tensor flat = g.contiguous();
    check(cuda::add_lattice(element_of(g), flat.data_ptr(), factors.data_ptr<double>(),
                            sums.data_ptr<std::int64_t>(), static_cast<int>(g.size(0)),
                            g.numel() / g.size(0), stream()));
    return;
  }
#endif
  const at::Tensor flat = rows_in_float(g);
  for (std::int64_t i = 0; i < flat.size(0); ++i) {
    const double factor = factors.data_ptr<double>()[i];
    if (factor == 0) continue;
    cpu::add_lattice(flat[i].data_ptr<float>(), factor, sums.data_ptr<std::int64_t>(),
                     flat.size(1));
  }
}

void add_lattice_outer(const at::Tensor& d, const at::Tensor& a, const at::Tensor& factors,
                       const at::Tensor& sums) {
#ifdef DPFERMI_TORCH_CUDA
  if (on_gpu(d)) {
    const at::Tensor rows = d.contiguous();
    const at::Tensor columns = a.contiguous();
    check(cuda::add_lattice_outer(element_of(d), rows.data_ptr(), columns.data_ptr(),
                                  factors.data_ptr<double>(), sums.data_ptr<std::int64_t>(),
                                  static_cast<int>(d.size(0)), static_cast<int>(d.size(1)),
                                  static_cast<int>(a.size(1)), stream()));
    return;
  }
#endif
  const at::Tensor rows = rows_in_float(d);
  const at::Tensor columns = rows_in_float(a);
  for (std::int64_t i = 0; i < rows.size(0); ++i) {
    const double factor = factors.data_ptr<double>()[i];
    if (factor == 0) continue;
    cpu::add_lattice_outer(rows[i].data_ptr<float>(), rows.size(1), columns[i].data_ptr<float>(),
                           columns.size(1), factor, sums.data_ptr<std::int64_t>());
  }
}

}  // namespace dpfermi::deep
