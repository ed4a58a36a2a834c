#include <ATen/ATen.h>

#include <utility>

#include "torch/layers.h"

namespace dpfermi::deep {
namespace {

/// Layers one after another, as a State has them.
class Chain {
 public:
  explicit Chain(std::vector<std::unique_ptr<Layer>> layers) : layers_(std::move(layers)) {
    for (const auto& layer : layers_) {
      starts_.push_back(parameters_);
      parameters_ += layer->parameters();
    }
  }

  std::int64_t parameters() const { return parameters_; }

  void bind(const at::Tensor& theta) {
    each_with_parameters(theta, [](Layer& layer, const at::Tensor& own) { layer.bind(own); });
  }

  at::Tensor forward(at::Tensor x) {
    for (const auto& layer : layers_) x = layer->forward(x);
    return x;
  }

  /// `take` sees each layer and the derivative at its output, from the last to the first; returns
  /// the derivative at the input.
  template <class Take>
  at::Tensor walk_back(at::Tensor d, const Take& take) {
    for (std::size_t i = layers_.size(); i-- > 0;) {
      take(i, d);
      d = layers_[i]->backward(d);
    }
    return d;
  }

  at::Tensor add_gradient(const at::Tensor& d, const at::Tensor& gradient) {
    return walk_back(d, [&](std::size_t i, const at::Tensor& own) {
      const std::int64_t size = layers_[i]->parameters();
      if (size > 0) layers_[i]->add_gradient(own, gradient.narrow(0, starts_[i], size));
    });
  }

  at::Tensor add_norms(const at::Tensor& d, const at::Tensor& norms) {
    return walk_back(
        d, [&](std::size_t i, const at::Tensor& own) { layers_[i]->add_norms(own, norms); });
  }

  void add_clipped(const at::Tensor& factors, const at::Tensor& sums) {
    each_with_parameters(
        sums, [&](Layer& layer, const at::Tensor& own) { layer.add_clipped(factors, own); });
  }

  void forget() {
    for (const auto& layer : layers_) layer->forget();
  }

 private:
  template <class Visit>
  void each_with_parameters(const at::Tensor& all, const Visit& visit) {
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const std::int64_t size = layers_[i]->parameters();
      if (size > 0) visit(*layers_[i], all.narrow(0, starts_[i], size));
    }
  }

  std::vector<std::unique_ptr<Layer>> layers_;
  std::vector<std::int64_t> starts_;
  std::int64_t parameters_ = 0;
};

/// The derivative at the input needs a walk through both ways, which the gradients take anyway:
/// they keep it for backward().
class Residual final : public Layer {
 public:
  Residual(std::vector<std::unique_ptr<Layer>> body, std::vector<std::unique_ptr<Layer>> shortcut)
      : body_(std::move(body)), shortcut_(std::move(shortcut)) {}

  std::int64_t parameters() const override { return body_.parameters() + shortcut_.parameters(); }

  void bind(const at::Tensor& theta) override {
    body_.bind(of_body(theta));
    shortcut_.bind(of_shortcut(theta));
  }

  at::Tensor forward(const at::Tensor& x) override {
    return body_.forward(x) + shortcut_.forward(x);
  }

  at::Tensor backward(const at::Tensor& /*d*/) override {
    return std::exchange(at_input_, at::Tensor());
  }

  void add_gradient(const at::Tensor& d, const at::Tensor& gradient) override {
    at_input_ =
        body_.add_gradient(d, of_body(gradient)) + shortcut_.add_gradient(d, of_shortcut(gradient));
  }

  void add_norms(const at::Tensor& d, const at::Tensor& norms) override {
    at_input_ = body_.add_norms(d, norms) + shortcut_.add_norms(d, norms);
  }

  void add_clipped(const at::Tensor& factors, const at::Tensor& sums) override {
    body_.add_clipped(factors, of_body(sums));
    shortcut_.add_clipped(factors, of_shortcut(sums));
  }

  void forget() override {
    body_.forget();
    shortcut_.forget();
    at_input_.reset();
  }

 private:
  at::Tensor of_body(const at::Tensor& all) const { return all.narrow(0, 0, body_.parameters()); }
  at::Tensor of_shortcut(const at::Tensor& all) const {
    return all.narrow(0, body_.parameters(), shortcut_.parameters());
  }

  Chain body_, shortcut_;
  at::Tensor at_input_;
};

}  // namespace

std::unique_ptr<Layer> make_residual(std::vector<std::unique_ptr<Layer>> body,
                                     std::vector<std::unique_ptr<Layer>> shortcut) {
  return std::make_unique<Residual>(std::move(body), std::move(shortcut));
}

}  // namespace dpfermi::deep
