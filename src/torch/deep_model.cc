#include "dpfermi/torch/deep_model.h"

#include <c10/core/GradMode.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "torch/state.h"

#ifdef DPFERMI_TORCH_CUDA
#include <cuda_runtime_api.h>
#endif

namespace dpfermi::deep {
namespace {

Problem problem_of(const c10::Error& error) {
  std::string text = error.what_without_backtrace();
  if (text.find("out of memory") != std::string::npos) {
    return {"the device has not enough memory; take fewer rows at a time (chunk)"};
  }
  text = text.substr(0, text.find('\n'));
  return {"libtorch: " + text + "; check the shapes and the device"};
}

/// No exception of libtorch passes the boundary.
template <class F>
Outcome guarded(F&& work) {
  const c10::NoGradGuard no_gradients;
  try {
    work();
  } catch (const c10::Error& error) {
    return problem_of(error);
  } catch (const std::bad_alloc&) {
    return Problem{"the computer has not enough memory; take fewer rows at a time (chunk)"};
  }
  return {};
}

Outcome check_rows(const DeepModel::State& state, const Rows& rows) {
  const std::size_t classes = state.options.classes;
  if (state.images.count() == 0) return Problem{"no images are loaded; call load first"};
  const auto n = static_cast<std::uint32_t>(state.images.count());
  if (std::ranges::any_of(rows.members, [n](std::uint32_t i) { return i / kViews >= n; })) {
    return Problem{"a member is beyond the " + std::to_string(n) + " images; load all of them"};
  }
  if (rows.functionals.empty() || rows.functionals.size() % classes != 0) {
    return Problem{"functionals must have " + std::to_string(classes) +
                   " entries a line; give at least one line"};
  }
  const std::size_t lines = rows.functionals.size() / classes;
  if (rows.which.size() != rows.members.size() ||
      std::ranges::any_of(rows.which, [lines](std::uint32_t i) { return i >= lines; })) {
    return Problem{"every member needs a line of the functionals; check `which`"};
  }
  return {};
}

/// What a secret sum asks beyond that.
Outcome check_sum(const DeepModel::State& state, const Rows& rows, const Clip& clip) {
  const auto n = static_cast<std::uint32_t>(state.images.count());
  std::vector<bool> seen(n);
  for (const std::uint32_t member : rows.members) {
    if (seen[member % n]) return Problem{"a member is named twice; name every row once"};
    seen[member % n] = true;
  }
  if (state.options.timed) {
    return Problem{"sums need algorithms that do not depend on time; make the model without it"};
  }
  if (!(clip.clip_norm >= 1e-100 && clip.clip_norm <= 1e100 && clip.longest > 0 &&
        clip.longest <= 0x1p36)) {
    return Problem{"clipping needs a norm in [1e-100, 1e100] and a lattice of at most 36 bits"};
  }
  return {};
}

}  // namespace

DeepModel::DeepModel(std::unique_ptr<State> state) : state_(std::move(state)) {}
DeepModel::DeepModel(DeepModel&&) noexcept = default;
DeepModel& DeepModel::operator=(DeepModel&&) noexcept = default;
DeepModel::~DeepModel() = default;

std::size_t DeepModel::parameters() const {
  return static_cast<std::size_t>(state_->theta.numel());
}

Outcome DeepModel::load(std::span<const std::uint8_t> pixels,
                        std::span<const std::uint16_t> labels) {
  const std::size_t side = state_->options.side;
  if (labels.empty() || pixels.size() != labels.size() * side * side * 3) {
    return Problem{"images must be " + std::to_string(side) + " x " + std::to_string(side) +
                   " x 3 bytes, one label each; resize them"};
  }
  const std::uint32_t classes = state_->options.classes;
  if (std::ranges::any_of(labels, [classes](std::uint16_t y) { return y >= classes; })) {
    return Problem{"a label is not below " + std::to_string(classes) + "; check the classes"};
  }
  return guarded([&] { state_->images.load(pixels, labels); });
}

Outcome DeepModel::copy_parameters(std::span<float> theta) const {
  if (theta.size() != parameters()) return Problem{"wrong number of parameters; ask parameters()"};
  return guarded([&] {
    std::memcpy(theta.data(), state_->theta.cpu().data_ptr<float>(), theta.size_bytes());
  });
}

Outcome DeepModel::set_parameters(std::span<const float> theta) {
  if (theta.size() != parameters()) return Problem{"wrong number of parameters; ask parameters()"};
  return guarded([&] {
    at::Tensor values = at::empty({static_cast<std::int64_t>(theta.size())}, at::kFloat);
    std::memcpy(values.data_ptr<float>(), theta.data(), theta.size_bytes());
    state_->set_theta(values);
  });
}

Outcome DeepModel::probabilities(std::span<const std::uint32_t> members, std::span<float> f) {
  const std::vector<float> none(state_->options.classes);
  const std::vector<std::uint32_t> which(members.size());
  if (Outcome wrong = check_rows(*state_, {members, 0, none, which})) return wrong;
  return guarded([&] { state_->probabilities(members, f); });
}

Outcome DeepModel::features(std::span<const std::uint32_t> members, std::vector<float>& values) {
  const std::vector<float> none(state_->options.classes);
  const std::vector<std::uint32_t> which(members.size());
  if (Outcome wrong = check_rows(*state_, {members, 0, none, which})) return wrong;
  return guarded([&] { state_->features(members, values); });
}

Outcome DeepModel::public_gradient(const Rows& rows, std::span<float> f) {
  if (Outcome wrong = check_rows(*state_, rows)) return wrong;
  return guarded([&] { state_->public_gradient(rows, f); });
}

Outcome DeepModel::copy_public_gradient(std::span<float> gradient) const {
  if (gradient.size() != parameters()) {
    return Problem{"wrong number of parameters; ask parameters()"};
  }
  return guarded([&] {
    std::memcpy(gradient.data(), state_->gradient.cpu().data_ptr<float>(), gradient.size_bytes());
  });
}

Outcome DeepModel::sum_start(const Rows& rows, const Clip& clip) {
  if (Outcome wrong = check_rows(*state_, rows)) return wrong;
  if (Outcome wrong = check_sum(*state_, rows, clip)) return wrong;
  return guarded([&] { state_->sum_start(rows, clip); });
}

Outcome DeepModel::sum_finish(std::span<std::int64_t> sums, std::span<float> f) {
  return guarded([&] { state_->sum_finish(sums, f); });
}

Outcome DeepModel::descend(double step, double scale, std::span<const std::int64_t> released) {
  return guarded([&] { state_->descend(step, scale, released); });
}

Outcome DeepModel::adapt(double step, double decay) {
  return guarded([&] { state_->adapt(step, decay); });
}

Outcome DeepModel::synchronize() const {
#ifdef DPFERMI_TORCH_CUDA
  if (state_->device.is_cuda()) {
    if (const cudaError_t error = cudaDeviceSynchronize(); error != cudaSuccess) {
      return Problem{std::string("the GPU failed (") + cudaGetErrorString(error) +
                     "); start the run again"};
    }
  }
#endif
  return {};
}

}  // namespace dpfermi::deep
