#include "torch/layers.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/generated/variable_factories.h>

#include <utility>

#include "torch/kernels.h"

namespace dpfermi::deep {
namespace {

/// A row's gradient is the product of its factors, so its norm is the product of theirs and it is
/// never formed.
class Linear final : public Layer {
 public:
  Linear(std::int64_t inputs, std::int64_t outputs) : inputs_(inputs), outputs_(outputs) {}

  std::int64_t parameters() const override { return outputs_ * (inputs_ + 1); }

  void bind(const at::Tensor& theta) override {
    weight_ = theta.narrow(0, 0, outputs_ * inputs_).view({outputs_, inputs_});
    bias_ = theta.narrow(0, outputs_ * inputs_, outputs_);
  }

  at::Tensor forward(const at::Tensor& x) override {
    TORCH_CHECK(x.dim() == 2, "a Linear layer takes one line a row; put a Flatten in front of it");
    x_ = x;
    return at::linear(x, weight_, bias_);
  }

  at::Tensor backward(const at::Tensor& d) override { return d.mm(weight_); }

  void add_gradient(const at::Tensor& d, const at::Tensor& gradient) override {
    gradient.narrow(0, 0, outputs_ * inputs_).add_(d.t().mm(x_).flatten());
    gradient.narrow(0, outputs_ * inputs_, outputs_).add_(d.sum(0, false, gradient.scalar_type()));
  }

  void add_norms(const at::Tensor& d, const at::Tensor& norms) override {
    d_ = d;
    at::Tensor inputs = at::ones_like(norms);
    add_squared_norms(x_, inputs);
    at::Tensor outputs = at::zeros_like(norms);
    add_squared_norms(d, outputs);
    norms.add_(inputs * outputs);
  }

  void add_clipped(const at::Tensor& factors, const at::Tensor& sums) override {
    add_lattice_outer(d_, x_, factors, sums.narrow(0, 0, outputs_ * inputs_));
    add_lattice(d_, factors, sums.narrow(0, outputs_ * inputs_, outputs_));
    d_.reset();
  }

  void forget() override { x_.reset(); }

 private:
  std::int64_t inputs_, outputs_;
  at::Tensor weight_, bias_;
  at::Tensor x_, d_;
};

class NormRelu final : public Layer {
 public:
  explicit NormRelu(double eps) : eps_(eps) {}

  at::Tensor forward(const at::Tensor& x) override {
    x_ = x;
    kept_ = norm_relu(x, eps_);
    return std::exchange(kept_.y, at::Tensor());
  }

  at::Tensor backward(const at::Tensor& d) override { return norm_relu_backward(x_, kept_, d); }

  void forget() override {
    x_.reset();
    kept_ = {};
  }

 private:
  double eps_;
  at::Tensor x_;
  Normalised kept_;
};

class Plain final : public Layer {
 public:
  explicit Plain(std::function<at::Tensor(const at::Tensor&)> function)
      : function_(std::move(function)) {}

  at::Tensor forward(const at::Tensor& x) override {
    const c10::AutoGradMode gradients(true);
    x_ = x.detach().requires_grad_();
    y_ = function_(x_);
    return y_.detach();
  }

  at::Tensor backward(const at::Tensor& d) override {
    // In the memory order of the output: libtorch's batch norm on CPUs, which is behind its
    // instance norm, returns wrong derivatives where the two differ and there is one row.
    const at::Tensor same = at::empty_like(y_).copy_(d);
    return torch::autograd::grad({y_}, {x_}, {same})[0];
  }

  void forget() override {
    x_.reset();
    y_.reset();
  }

 private:
  std::function<at::Tensor(const at::Tensor&)> function_;
  at::Tensor x_, y_;
};

}  // namespace

std::unique_ptr<Layer> make_linear(std::int64_t inputs, std::int64_t outputs) {
  return std::make_unique<Linear>(inputs, outputs);
}

std::unique_ptr<Layer> make_norm_relu(double eps) {
  return std::make_unique<NormRelu>(eps);
}

std::unique_ptr<Layer> make_plain(std::function<at::Tensor(const at::Tensor&)> function) {
  return std::make_unique<Plain>(std::move(function));
}

}  // namespace dpfermi::deep
