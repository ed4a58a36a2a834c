#include <ATen/ATen.h>

#include "torch/kernels.h"
#include "torch/layers.h"

namespace dpfermi::deep {
namespace {

/// Up to so many output pixels the products below are faster than a CPU's convolution, which has
/// to bring the gradient back from another memory order.
constexpr std::int64_t kFewPixels = 128;

/// The rows' weight gradients come from one matrix product per kernel row: gradient[o, r, (c, i)] =
/// sum over output pixels t of d[t, o] * (what kernel row r sees at t)[c, i]; see spread_windows.
class Convolution final : public Layer {
 public:
  Convolution(const ConvolutionShape& shape, bool constant_free)
      : shape_(shape), constant_free_(constant_free) {}

  std::int64_t parameters() const override { return weights() + shape_.outputs; }

  void bind(const at::Tensor& theta) override {
    const std::int64_t k = shape_.kernel;
    weight_ = widened(theta.narrow(0, 0, weights())
                          .view({shape_.outputs, k, k, shape_.inputs})
                          .permute({0, 3, 1, 2}));
    bias_ = constant_free_ ? at::Tensor() : theta.narrow(0, weights(), shape_.outputs);
  }

  at::Tensor forward(const at::Tensor& x) override {
    x_ = widened(x).contiguous(at::MemoryFormat::ChannelsLast);
    const std::int64_t s = shape_.stride;
    const std::int64_t p = shape_.padding;
    return at::convolution(x_, weight_, bias_, {s, s}, {p, p}, {1, 1}, false, {0, 0}, 1)
        .contiguous(at::MemoryFormat::ChannelsLast);
  }

  at::Tensor backward(const at::Tensor& d) override {
    return std::get<0>(derivatives(d, {true, false, false})).narrow(1, 0, shape_.inputs);
  }

  void add_gradient(const at::Tensor& d, const at::Tensor& gradient) override {
    const at::Tensor w =
        std::get<1>(derivatives(d, {false, true, false})).narrow(1, 0, shape_.inputs);
    gradient.narrow(0, 0, weights()).add_(w.permute({0, 2, 3, 1}).reshape(-1));
    if (constant_free_) return;
    gradient.narrow(0, weights(), shape_.outputs)
        .add_(d.sum({0, 2, 3}, false, gradient.scalar_type()));
  }

  void add_norms(const at::Tensor& d, const at::Tensor& norms) override {
    rows_ = row_gradients(d);
    add_squared_norms(rows_, norms);
    if (constant_free_) return;
    biases_ = d.sum({2, 3}, false, wide(d));
    add_squared_norms(biases_, norms);
  }

  void add_clipped(const at::Tensor& factors, const at::Tensor& sums) override {
    add_lattice(rows_, factors, sums.narrow(0, 0, weights()));
    rows_.reset();
    if (constant_free_) return;
    add_lattice(biases_, factors, sums.narrow(0, weights(), shape_.outputs));
    biases_.reset();
  }

  void forget() override { x_.reset(); }

 private:
  std::int64_t weights() const {
    return shape_.outputs * shape_.kernel * shape_.kernel * shape_.inputs;
  }

  /// On GPUs, with input channels of zeros up to a multiple of 16 bytes: matrix units need that.
  static at::Tensor widened(const at::Tensor& x) {
    const std::int64_t unit = x.is_cuda() ? 16 / static_cast<std::int64_t>(x.element_size()) : 1;
    const std::int64_t extra = (unit - x.size(1) % unit) % unit;
    if (extra == 0) return x;
    return at::constant_pad_nd(x.permute({0, 2, 3, 1}), {0, extra}).permute({0, 3, 1, 2});
  }

  static at::ScalarType wide(const at::Tensor& d) {
    return d.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  }

  std::tuple<at::Tensor, at::Tensor, at::Tensor> derivatives(const at::Tensor& d,
                                                             std::array<bool, 3> which) const {
    const std::int64_t s = shape_.stride;
    const std::int64_t p = shape_.padding;
    return at::convolution_backward(d.contiguous(at::MemoryFormat::ChannelsLast), x_, weight_,
                                    at::OptionalIntArrayRef(), {s, s}, {p, p}, {1, 1}, false,
                                    {0, 0}, 1, which);
  }

  at::Tensor row_gradients(const at::Tensor& d) const {
    if (d.size(0) == 1 && !d.is_cuda() && d.size(2) * d.size(3) > kFewPixels) {
      const at::Tensor g = std::get<1>(derivatives(d, {false, true, false}));
      return g.permute({0, 2, 3, 1}).contiguous().unsqueeze(0);
    }
    const std::int64_t n = d.size(0);
    const std::int64_t height = d.size(2);
    const std::int64_t width = d.size(3);
    const std::int64_t k = shape_.kernel;
    const std::int64_t channels = x_.size(1);
    const at::Tensor windows =
        spread_windows(x_, {k, shape_.stride, shape_.padding, height, width});
    const at::Tensor left = d.contiguous(at::MemoryFormat::ChannelsLast)
                                .permute({0, 2, 3, 1})
                                .reshape({n, height * width, shape_.outputs});
    at::Tensor g =
        at::empty({n, shape_.outputs, k, k * channels}, d.options(), at::MemoryFormat::Contiguous);
    for (std::int64_t r = 0; r < k; ++r) {
      const at::Tensor seen =
          windows.select(1, r % shape_.stride).narrow(1, r / shape_.stride, height).flatten(1, 2);
      at::Tensor out = g.select(2, r);
      at::bmm_out(out, left.transpose(1, 2), seen);
    }
    if (channels == shape_.inputs) return g;
    return g.view({n, shape_.outputs, k, k, channels}).narrow(4, 0, shape_.inputs).contiguous();
  }

  ConvolutionShape shape_;
  bool constant_free_;
  at::Tensor weight_, bias_;
  at::Tensor x_;
  at::Tensor rows_, biases_;
};

}  // namespace

std::unique_ptr<Layer> make_convolution(const ConvolutionShape& shape, bool constant_free) {
  return std::make_unique<Convolution>(shape, constant_free);
}

}  // namespace dpfermi::deep
