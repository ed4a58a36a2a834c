// dpfermi-deep with your own network: residual blocks and group norm, which, unlike batch
// norm, gives every row its own gradient. examples/README.md says how to use it.

#include <torch/nn.h>
#include <torch/utils.h>

#include "dpfermi/torch/sequential.h"
#include "program.h"

namespace {

using dpfermi::deep::ModelOptions;
using dpfermi::deep::Residual;
using torch::nn::Conv2d;
using torch::nn::Conv2dOptions;
using torch::nn::GroupNorm;
using torch::nn::ReLU;
using torch::nn::Sequential;

Conv2d convolution(std::int64_t inputs, std::int64_t outputs, std::int64_t stride) {
  return Conv2d(Conv2dOptions(inputs, outputs, 3).stride(stride).padding(1));
}

/// relu(norm(conv(relu(norm(conv(x))))) + shortcut(x)).
void add_block(Sequential& network, std::int64_t inputs, std::int64_t outputs,
               std::int64_t stride) {
  constexpr std::int64_t kGroups = 8;
  Sequential body(convolution(inputs, outputs, stride), GroupNorm(kGroups, outputs), ReLU(),
                  convolution(outputs, outputs, 1), GroupNorm(kGroups, outputs));
  Sequential shortcut;
  if (inputs != outputs || stride != 1) {
    shortcut->push_back(Conv2d(Conv2dOptions(inputs, outputs, 1).stride(stride)));
  }
  network->push_back(Residual(body, shortcut));
  network->push_back(ReLU());
}

/// Eight layers with weights on the longest way: one, three blocks of two, one.
Sequential resnet8(const ModelOptions& options) {
  torch::manual_seed(options.seed);
  Sequential network(convolution(3, 16, 1), GroupNorm(8, 16), ReLU());
  add_block(network, 16, 16, 1);
  add_block(network, 16, 32, 2);
  add_block(network, 32, 64, 2);
  network->push_back(torch::nn::AdaptiveAvgPool2d(1));
  network->push_back(torch::nn::Flatten());
  network->push_back(torch::nn::Linear(64, options.classes));
  return network;
}

}  // namespace

int main(int count, char** words) {
  dpfermi::deep::Networks networks = dpfermi::deep::known_networks();
  networks["resnet8"] = [](const ModelOptions& options) {
    return dpfermi::deep::from_sequential(resnet8(options), options);
  };
  return dpfermi::deep::run_program(count, words, networks);
}
