#pragma once

/// Networks and models that several tests need.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "torch/reference.h"

namespace dpfermi::deep {

inline constexpr double kBits = 0x1p30;

inline DeepModel model_of(std::variant<DeepModel, Problem> made) {
  if (const auto* problem = std::get_if<Problem>(&made)) ADD_FAILURE() << problem->message;
  return std::get<DeepModel>(std::move(made));
}

inline void expect_done(const Outcome& outcome) {
  EXPECT_FALSE(outcome.has_value()) << (outcome ? outcome->message : "");
}

inline std::vector<std::int64_t> sum_of(DeepModel& model, const Rows& rows, const Clip& clip,
                                        std::uint32_t classes) {
  std::vector<std::int64_t> sums(model.parameters());
  std::vector<float> f(rows.members.size() * classes);
  expect_done(model.sum_start(rows, clip));
  expect_done(model.sum_finish(sums, f));
  return sums;
}

inline std::string refusal(std::variant<DeepModel, Problem> made) {
  const auto* problem = std::get_if<Problem>(&made);
  return problem == nullptr ? "" : problem->message;
}

/// Four rows at a time on a GPU; on a CPU one, by three workers.
inline ModelOptions options_of(Architecture architecture, std::uint32_t side, Place place,
                               Precision precision) {
  ModelOptions options;
  options.architecture = architecture;
  options.side = side;
  options.place = place;
  options.precision = precision;
  options.chunk = 4;
  options.seed = 3;
  options.workers = 3;
  return options;
}

inline ModelOptions small_options() {
  return options_of(Architecture::kSmall, 16, Place::kCpu, Precision::kFloat32);
}

inline torch::nn::Sequential own_network(const ModelOptions& options) {
  torch::manual_seed(options.seed);
  const std::int64_t side = options.side / 8;
  return torch::nn::Sequential(
      torch::nn::Conv2d(torch::nn::Conv2dOptions(3, 6, 5).stride(2).padding(2)), torch::nn::Tanh(),
      torch::nn::MaxPool2d(2), torch::nn::Conv2d(torch::nn::Conv2dOptions(6, 9, 3).padding(1)),
      torch::nn::InstanceNorm2d(9), torch::nn::Tanh(), torch::nn::AvgPool2d(2),
      torch::nn::Flatten(), torch::nn::Linear(9 * side * side, 12), torch::nn::ReLU(),
      torch::nn::Linear(12, options.classes));
}

/// Residual blocks with group norm, one of them with a separate way past the layers, one inside
/// of another. Scales and shifts are not where they start.
inline torch::nn::Sequential residual_network(const ModelOptions& options) {
  using torch::nn::Conv2d;
  using torch::nn::Conv2dOptions;
  using torch::nn::GroupNorm;
  using torch::nn::GroupNormOptions;
  using torch::nn::Sequential;
  using torch::nn::Tanh;
  torch::manual_seed(options.seed);
  const auto norm = [](std::int64_t channels) {
    GroupNorm layer(GroupNormOptions(2, channels));
    torch::nn::init::uniform_(layer->weight, 0.5, 1.5);
    torch::nn::init::uniform_(layer->bias, -0.5, 0.5);
    return layer;
  };
  const auto same = [](std::int64_t channels) {
    return Conv2d(Conv2dOptions(channels, channels, 3).padding(1));
  };
  const Residual inner(Sequential(same(6), norm(6)), Sequential());
  return Sequential(
      Conv2d(Conv2dOptions(3, 6, 3).stride(2).padding(1)), norm(6), Tanh(),
      Residual(Sequential(same(6), norm(6), Tanh(), inner, Tanh(), same(6)), Sequential()), Tanh(),
      Residual(Sequential(Conv2d(Conv2dOptions(6, 8, 3).stride(2).padding(1)), norm(8)),
               Sequential(Conv2d(Conv2dOptions(6, 8, 1).stride(2)))),
      Tanh(), torch::nn::AdaptiveAvgPool2d(1), torch::nn::Flatten(),
      torch::nn::Linear(8, options.classes));
}

/// The same network with tanh: nine layers whose derivative does not jump.
inline torch::nn::Sequential smooth_network(const ModelOptions& options) {
  const torch::nn::Sequential pattern = make_network(options);
  torch::nn::Sequential network;
  for (const auto& module : *pattern) {
    if (module.ptr()->as<torch::nn::ReLUImpl>() != nullptr) {
      network->push_back(torch::nn::Tanh());
    } else {
      network->push_back(module);
    }
  }
  return network;
}

}  // namespace dpfermi::deep
