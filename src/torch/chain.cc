#include "torch/chain.h"

#include <ATen/ATen.h>

#include <utility>

namespace dpfermi::deep {

Chain::Chain(std::vector<std::unique_ptr<Layer>> layers) : layers_(std::move(layers)) {
  for (const auto& layer : layers_) {
    starts_.push_back(parameters_);
    parameters_ += layer->parameters();
  }
}

template <class Visit>
void Chain::each_with_parameters(const at::Tensor& all, const Visit& visit) {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const std::int64_t size = layers_[i]->parameters();
    if (size > 0) visit(*layers_[i], all.narrow(0, starts_[i], size));
  }
}

template <class Take>
at::Tensor Chain::walk_back(at::Tensor d, Input input, const Take& take) {
  for (std::size_t i = layers_.size(); i-- > 0;) {
    take(i, d);
    d = i > 0 || input == Input::kWanted ? layers_[i]->backward(d) : at::Tensor();
  }
  return d;
}

void Chain::bind(const at::Tensor& theta) {
  each_with_parameters(theta, [](Layer& layer, const at::Tensor& own) { layer.bind(own); });
}

at::Tensor Chain::forward(at::Tensor x, at::Tensor* channels) {
  if (channels != nullptr) *channels = x;
  for (const auto& layer : layers_) {
    x = layer->forward(x);
    if (channels != nullptr && x.dim() == 4) *channels = x;
  }
  return x;
}

at::Tensor Chain::add_gradient(const at::Tensor& d, const at::Tensor& gradient, Input input) {
  return walk_back(d, input, [&](std::size_t i, const at::Tensor& own) {
    const std::int64_t size = layers_[i]->parameters();
    if (size > 0) layers_[i]->add_gradient(own, gradient.narrow(0, starts_[i], size));
  });
}

at::Tensor Chain::add_norms(const at::Tensor& d, const at::Tensor& norms, Input input) {
  return walk_back(
      d, input, [&](std::size_t i, const at::Tensor& own) { layers_[i]->add_norms(own, norms); });
}

void Chain::add_clipped(const at::Tensor& factors, const at::Tensor& sums) {
  each_with_parameters(
      sums, [&](Layer& layer, const at::Tensor& own) { layer.add_clipped(factors, own); });
}

void Chain::forget() {
  for (const auto& layer : layers_) layer->forget();
}

}  // namespace dpfermi::deep
