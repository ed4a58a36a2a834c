#pragma once

/// Layers one after another, and the places of their parameters in theta.

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "torch/layers.h"

namespace dpfermi::deep {

class Chain {
 public:
  explicit Chain(std::vector<std::unique_ptr<Layer>> layers);

  std::int64_t parameters() const { return parameters_; }

  /// The layers' values; see Layer::bind.
  void bind(const at::Tensor& theta);

  /// `channels`, where given, becomes the last output of a layer that has pixels.
  at::Tensor forward(at::Tensor x, at::Tensor* channels = nullptr);

  /// Whether the derivative at the input of all layers is wanted, or an empty tensor will do.
  enum class Input { kWanted, kUnused };

  /// As Layer::add_gradient and Layer::add_norms; both return the derivative at the input.
  at::Tensor add_gradient(const at::Tensor& d, const at::Tensor& gradient, Input input);
  at::Tensor add_norms(const at::Tensor& d, const at::Tensor& norms, Input input);

  void add_clipped(const at::Tensor& factors, const at::Tensor& sums);
  void forget();

 private:
  /// `take` sees each layer and the derivative at its output, from the last to the first.
  template <class Take>
  at::Tensor walk_back(at::Tensor d, Input input, const Take& take);
  template <class Visit>
  void each_with_parameters(const at::Tensor& all, const Visit& visit);

  std::vector<std::unique_ptr<Layer>> layers_;
  std::vector<std::int64_t> starts_;
  std::int64_t parameters_ = 0;
};

}  // namespace dpfermi::deep
