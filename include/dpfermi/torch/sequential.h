#pragma once

/// The user's own network. Unlike the rest of the component's headers this one needs libtorch.

#include <torch/nn/modules/container/sequential.h>

#include <variant>

#include "dpfermi/torch/deep_model.h"

namespace dpfermi::deep {

/// Takes the structure and the starting parameters of `network`. Its children may be Conv2d
/// (square, one group, no dilation, zero padding, biases), Linear (biases), InstanceNorm2d without
/// affine parameters, ReLU, Tanh, MaxPool2d, AvgPool2d, AdaptiveAvgPool2d and Flatten. Others are
/// refused: those with parameters because their gradient by row is not known here, those that mix
/// rows, such as BatchNorm2d, because a row's contribution would depend on other rows. Of
/// `options`, `architecture` and `seed` are not read.
std::variant<DeepModel, Problem> from_sequential(torch::nn::Sequential network,
                                                 const ModelOptions& options);

/// The networks behind Architecture, with parameters drawn from the seed.
torch::nn::Sequential make_network(const ModelOptions& options);

}  // namespace dpfermi::deep
