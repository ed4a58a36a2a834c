#include "dpfermi/torch/sequential.h"

#include <torch/nn.h>
#include <torch/utils.h>

#include <utility>

#include "torch/state.h"

namespace dpfermi::deep {
namespace {

/// CUDA's bound on the grids of the kernels.
constexpr std::uint32_t kMaxChunk = 65535;

struct Parts {
  std::vector<std::unique_ptr<Layer>> layers;
  std::vector<at::Tensor> theta;
};

bool is_plain_norm(const torch::nn::Module* module) {
  if (module == nullptr) return false;
  const auto* norm = module->as<torch::nn::InstanceNorm2dImpl>();
  return norm != nullptr && !norm->options.affine() && !norm->options.track_running_stats();
}

/// Any other Flatten makes several rows of one, or one of several.
bool is_row_flatten(const torch::nn::Module& module) {
  const auto* flatten = module.as<torch::nn::FlattenImpl>();
  return flatten != nullptr && flatten->options.start_dim() == 1 &&
         flatten->options.end_dim() == -1;
}

bool to_one_pixel(const torch::nn::AdaptiveAvgPool2dImpl& pool) {
  const auto& size = *pool.options.output_size();
  return size[0] == 1 && size[1] == 1;
}

/// Modules without parameters that treat every row on its own.
bool is_plain(const torch::nn::Module& module) {
  return module.as<torch::nn::ReLUImpl>() != nullptr ||
         module.as<torch::nn::TanhImpl>() != nullptr ||
         module.as<torch::nn::MaxPool2dImpl>() != nullptr ||
         module.as<torch::nn::AvgPool2dImpl>() != nullptr ||
         module.as<torch::nn::AdaptiveAvgPool2dImpl>() != nullptr || is_row_flatten(module) ||
         is_plain_norm(&module);
}

Outcome add_convolution(const torch::nn::Conv2dImpl& module, bool constant_free, Parts& parts) {
  const auto& options = module.options;
  // std::variant in libtorch 2, a separate type before.
  const auto* padding = get_if<torch::ExpandingArray<2>>(&options.padding());
  const auto same = [](const torch::ExpandingArray<2>& pair) { return pair->at(0) == pair->at(1); };
  if (padding == nullptr || options.padding_mode().index() != 0 || options.groups() != 1 ||
      options.dilation()->at(0) != 1 || options.dilation()->at(1) != 1 ||
      !same(options.kernel_size()) || !same(options.stride()) || !same(*padding) ||
      !options.bias()) {
    return Problem{
        "a Conv2d must be square, with biases, zero padding, one group and no dilation; "
        "rewrite it so"};
  }
  parts.layers.push_back(
      make_convolution({options.in_channels(), options.out_channels(), options.kernel_size()->at(0),
                        options.stride()->at(0), (*padding)->at(0)},
                       constant_free));
  parts.theta.push_back(module.weight.permute({0, 2, 3, 1}).reshape(-1));
  parts.theta.push_back(module.bias);
  return {};
}

Outcome add_group_norm(const torch::nn::GroupNormImpl& module, Parts& parts) {
  const auto& options = module.options;
  if (!options.affine()) return Problem{"a GroupNorm must be affine; say so"};
  parts.layers.push_back(
      make_group_norm(options.num_groups(), options.num_channels(), options.eps()));
  parts.theta.push_back(module.weight);
  parts.theta.push_back(module.bias);
  return {};
}

Outcome add_all(torch::nn::SequentialImpl& network, Parts& parts);

Outcome add_residual(ResidualImpl& module, Parts& parts) {
  Parts body, shortcut;
  if (Outcome wrong = add_all(*module.body, body)) return wrong;
  if (Outcome wrong = add_all(*module.shortcut, shortcut)) return wrong;
  parts.layers.push_back(make_residual(std::move(body.layers), std::move(shortcut.layers)));
  for (Parts* part : {&body, &shortcut}) {
    parts.theta.insert(parts.theta.end(), part->theta.begin(), part->theta.end());
  }
  return {};
}

Outcome add_module(torch::nn::AnyModule& any, const torch::nn::Module* next, Parts& parts) {
  const std::shared_ptr<torch::nn::Module> module = any.ptr();
  if (const auto* convolution = module->as<torch::nn::Conv2dImpl>()) {
    return add_convolution(*convolution, is_plain_norm(next), parts);
  }
  if (const auto* linear = module->as<torch::nn::LinearImpl>()) {
    if (!linear->options.bias()) return Problem{"a Linear must have biases; add them"};
    parts.layers.push_back(
        make_linear(linear->options.in_features(), linear->options.out_features()));
    parts.theta.push_back(linear->weight.flatten());
    parts.theta.push_back(linear->bias);
    return {};
  }
  if (const auto* norm = module->as<torch::nn::GroupNormImpl>()) {
    return add_group_norm(*norm, parts);
  }
  if (auto* residual = module->as<ResidualImpl>()) return add_residual(*residual, parts);
  if (const auto* pool = module->as<torch::nn::AdaptiveAvgPool2dImpl>();
      pool != nullptr && !to_one_pixel(*pool)) {
    return Problem{
        "an AdaptiveAvgPool2d must have output size 1: on GPUs the derivative of any other depends "
        "on chance; use AvgPool2d"};
  }
  if (!is_plain(*module)) {
    return Problem{"layer " + module->name() +
                   " is not supported: its gradient is not known row by row; see "
                   "dpfermi/torch/sequential.h for those that are"};
  }
  parts.layers.push_back(make_plain([any](const at::Tensor& x) mutable { return any.forward(x); }));
  return {};
}

Outcome add_all(torch::nn::SequentialImpl& network, Parts& parts) {
  for (auto module = network.begin(); module != network.end(); ++module) {
    const auto after = module + 1;
    const std::shared_ptr<torch::nn::Module> next = after == network.end() ? nullptr : after->ptr();
    if (is_plain_norm(module->ptr().get()) && next != nullptr &&
        next->as<torch::nn::ReLUImpl>() != nullptr) {
      const auto* norm = module->ptr()->as<torch::nn::InstanceNorm2dImpl>();
      parts.layers.push_back(make_norm_relu(norm->options.eps()));
      ++module;
      continue;
    }
    if (Outcome wrong = add_module(*module, next.get(), parts)) return wrong;
  }
  return {};
}

}  // namespace

ResidualImpl::ResidualImpl(torch::nn::Sequential own_body, torch::nn::Sequential own_shortcut)
    : body(register_module("body", std::move(own_body))),
      shortcut(register_module("shortcut", std::move(own_shortcut))) {}

torch::Tensor ResidualImpl::forward(const torch::Tensor& x) {
  return body->forward(x) + (shortcut->is_empty() ? x : shortcut->forward(x));
}

std::variant<DeepModel, Problem> from_sequential(torch::nn::Sequential network,
                                                 const ModelOptions& options) {
#ifdef DPFERMI_TORCH_CUDA
  const bool gpu = at::hasCUDA();
#else
  const bool gpu = false;
#endif
  if (options.place == Place::kGpu && !gpu) {
    return Problem{"no GPU can be used here (no device, or built without CUDA); run on the CPU"};
  }
  if (options.place == Place::kCpu && options.precision == Precision::kTf32) {
    return Problem{"tf32 is a mode of GPUs; choose float32"};
  }
  if (options.chunk == 0 || options.chunk > kMaxChunk || options.side == 0 || options.classes < 2) {
    return Problem{
        "a model needs pixels, two classes and 1 to 65535 rows at a time; check the options"};
  }
  auto workers = options.place == Place::kGpu ? 1U : team_size(options.workers);
  if (auto* problem = std::get_if<Problem>(&workers)) return std::move(*problem);
  const torch::NoGradGuard no_gradients;
  std::vector<at::Tensor> theta;
  std::vector<Chain> networks;
  while (networks.size() < std::get<unsigned>(workers)) {
    Parts parts;
    if (Outcome wrong = add_all(*network, parts)) return *std::move(wrong);
    if (parts.theta.empty()) return Problem{"the network has no parameters; add a Linear layer"};
    networks.emplace_back(std::move(parts.layers));
    theta = std::move(parts.theta);
  }
  try {
    return DeepModel(
        std::make_unique<DeepModel::State>(options, std::move(networks), at::cat(theta).detach()));
  } catch (const c10::Error& error) {
    return Problem{std::string("libtorch: ") + error.what_without_backtrace() +
                   "; check the device"};
  }
}

torch::nn::Sequential make_network(const ModelOptions& options) {
  struct Stage {
    std::int64_t outputs, stride;
  };
  const std::vector<Stage> stages =
      options.architecture == Architecture::kVgg9
          ? std::vector<Stage>{{8, 1},  {16, 1},  {16, 2},  {32, 1}, {64, 1},
                               {64, 2}, {128, 1}, {256, 1}, {256, 2}}
          : std::vector<Stage>{{8, 1}, {16, 2}, {16, 2}};
  torch::manual_seed(options.seed);
  torch::nn::Sequential network;
  std::int64_t channels = 3;
  std::int64_t side = options.side;
  for (const Stage& stage : stages) {
    network->push_back(torch::nn::Conv2d(
        torch::nn::Conv2dOptions(channels, stage.outputs, 3).stride(stage.stride).padding(1)));
    network->push_back(torch::nn::InstanceNorm2d(stage.outputs));
    network->push_back(torch::nn::ReLU());
    channels = stage.outputs;
    side = (side - 1) / stage.stride + 1;
  }
  network->push_back(torch::nn::Flatten());
  network->push_back(torch::nn::Linear(channels * side * side, options.classes));
  return network;
}

std::variant<DeepModel, Problem> DeepModel::create(const ModelOptions& options) {
  return from_sequential(make_network(options), options);
}

}  // namespace dpfermi::deep
