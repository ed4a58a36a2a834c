#include <ATen/ATen.h>

#include "torch/kernels.h"
#include "torch/layers.h"

namespace dpfermi::deep {
namespace {

/// y = scale z + shift by channel, z being x normalised over the pixels and channels of a group. A
/// row's gradient is two numbers a channel, sums over its pixels of d z and of d.
class GroupNorm final : public Layer {
 public:
  GroupNorm(std::int64_t groups, std::int64_t channels, double eps)
      : channels_(channels), normalise_(make_plain([groups, eps](const at::Tensor& x) {
          return at::group_norm(x, groups, {}, {}, eps, false);
        })) {}

  std::int64_t parameters() const override { return 2 * channels_; }

  void bind(const at::Tensor& theta) override {
    scale_ = theta.narrow(0, 0, channels_).view({1, channels_, 1, 1});
    shift_ = theta.narrow(0, channels_, channels_).view({1, channels_, 1, 1});
  }

  at::Tensor forward(const at::Tensor& x) override {
    z_ = normalise_->forward(x);
    return z_ * scale_ + shift_;
  }

  at::Tensor backward(const at::Tensor& d) override { return normalise_->backward(d * scale_); }

  void add_gradient(const at::Tensor& d, const at::Tensor& gradient) override {
    gradient.add_(by_row(d).sum(0, false, gradient.scalar_type()));
  }

  void add_norms(const at::Tensor& d, const at::Tensor& norms) override {
    rows_ = by_row(d);
    add_squared_norms(rows_, norms);
  }

  void add_clipped(const at::Tensor& factors, const at::Tensor& sums) override {
    add_lattice(rows_, factors, sums);
    rows_.reset();
  }

  void forget() override {
    z_.reset();
    normalise_->forget();
  }

 private:
  /// rows x (scales, shifts).
  at::Tensor by_row(const at::Tensor& d) const {
    return at::cat({(d * z_).sum({2, 3}), d.sum({2, 3})}, 1);
  }

  std::int64_t channels_;
  std::unique_ptr<Layer> normalise_;
  at::Tensor scale_, shift_, z_, rows_;
};

}  // namespace

std::unique_ptr<Layer> make_group_norm(std::int64_t groups, std::int64_t channels, double eps) {
  return std::make_unique<GroupNorm>(groups, channels, eps);
}

}  // namespace dpfermi::deep
