#pragma once

/// The user's own network. Unlike the rest of the component's headers this one needs libtorch.

#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/pimpl.h>

#include <variant>

#include "dpfermi/torch/deep_model.h"

namespace dpfermi::deep {

/// body(x) + shortcut(x): what makes a residual network. A shortcut without children is x itself.
class ResidualImpl : public torch::nn::Module {
 public:
  ResidualImpl(torch::nn::Sequential body, torch::nn::Sequential shortcut);
  torch::Tensor forward(const torch::Tensor& x);

  torch::nn::Sequential body, shortcut;
};
TORCH_MODULE(Residual);

/// Takes the structure and the starting parameters of `network`. Its children may be Conv2d
/// (square, one group, no dilation, zero padding, biases), Linear (biases), GroupNorm with affine
/// parameters, InstanceNorm2d without, Residual of any of these, ReLU, Tanh, MaxPool2d, AvgPool2d,
/// AdaptiveAvgPool2d to one pixel and Flatten. Others are refused: those with parameters because
/// their gradient by row is not known here; those that mix rows, such as BatchNorm2d, because a
/// row's contribution would depend on other rows; AdaptiveAvgPool2d to more pixels because its
/// derivative on GPUs is summed in an order of chance. Of `options`, `architecture` and `seed` are
/// not read.
std::variant<DeepModel, Problem> from_sequential(torch::nn::Sequential network,
                                                 const ModelOptions& options);

/// The networks behind Architecture, with parameters drawn from the seed.
torch::nn::Sequential make_network(const ModelOptions& options);

}  // namespace dpfermi::deep
