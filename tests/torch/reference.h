#pragma once

/// The step in plain double precision: one row at a time through libtorch's own derivatives.

#include <torch/nn.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "dpfermi/torch/deep_model.h"
#include "dpfermi/torch/sequential.h"

namespace dpfermi::deep {

struct Faces {
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint16_t> labels;
  std::vector<float> functionals;    ///< 5 lines
  std::vector<std::uint32_t> which;  ///< a line for each image
  std::vector<std::uint32_t> members;
  double tau = 1;

  Rows rows(float loss_weight) const { return {members, loss_weight, functionals, which, tau}; }
};

/// Images with some structure: coloured waves and noise.
inline Faces invent_faces(std::uint32_t count, const ModelOptions& options, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(0, 1);
  Faces faces;
  for (std::uint32_t i = 0; i < count; ++i) {
    const float fx = 0.05F + 0.5F * uniform(random);
    const float fy = 0.05F + 0.5F * uniform(random);
    for (std::uint32_t y = 0; y < options.side; ++y) {
      for (std::uint32_t x = 0; x < options.side; ++x) {
        for (int c = 0; c < 3; ++c) {
          const float wave = std::sin(fx * static_cast<float>(x) + fy * static_cast<float>(y + c));
          faces.pixels.push_back(
              static_cast<std::uint8_t>(127 + 80 * wave + 40 * (uniform(random) - 0.5F)));
        }
      }
    }
    faces.labels.push_back(static_cast<std::uint16_t>(random() % options.classes));
    faces.which.push_back(static_cast<std::uint32_t>(random() % 5));
    faces.members.push_back(i);
  }
  for (std::uint32_t j = 0; j < 5 * options.classes; ++j) {
    faces.functionals.push_back(2 * uniform(random) - 1);
  }
  return faces;
}

/// theta's order of one network's gradients.
inline torch::Tensor flat_gradient(torch::nn::Sequential& network) {
  std::vector<torch::Tensor> parts;
  for (const torch::Tensor& p : network->parameters()) {
    const torch::Tensor g = p.grad();
    parts.push_back(g.dim() == 4 ? g.permute({0, 2, 3, 1}).reshape(-1) : g.reshape(-1));
  }
  return torch::cat(parts);
}

/// Row i's gradient, at the parameters, in the type and on the device that `network` has.
inline torch::Tensor row_gradient(torch::nn::Sequential& network, const Faces& faces,
                                  const ModelOptions& options, std::size_t i, double loss_weight) {
  const torch::Tensor like = network->parameters()[0];
  const auto side = static_cast<std::int64_t>(options.side);
  const std::size_t bytes = options.side * options.side * 3;
  torch::Tensor x = torch::empty({1, side, side, 3}, torch::kByte);
  std::copy_n(faces.pixels.begin() + static_cast<std::ptrdiff_t>(i * bytes), bytes,
              x.data_ptr<std::uint8_t>());
  x = (x.to(torch::kDouble) / 127.5 - 1).to(like.options());
  network->zero_grad();
  const torch::Tensor outputs = network->forward(x.permute({0, 3, 1, 2}));
  const torch::Tensor f = torch::softmax(faces.tau * outputs.to(torch::kDouble), 1)[0];
  const torch::Tensor log_plain = torch::log_softmax(outputs.to(torch::kDouble), 1)[0];
  torch::Tensor value = -loss_weight * log_plain[faces.labels[i]];
  for (std::size_t j = 0; j < options.classes; ++j) {
    value =
        value + f[static_cast<std::int64_t>(j)] *
                    static_cast<double>(faces.functionals[faces.which[i] * options.classes + j]);
  }
  value.backward();
  return flat_gradient(network).to(torch::kCPU, torch::kDouble);
}

inline double relative_error(const torch::Tensor& value, const torch::Tensor& expected) {
  return ((value - expected).norm() / expected.norm()).item<double>();
}

}  // namespace dpfermi::deep
