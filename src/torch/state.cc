#include "torch/state.h"

#include <ATen/Context.h>

#include <cmath>
#include <cstring>

#include "torch/kernels.h"

#ifdef DPFERMI_TORCH_CUDA
#include <ATen/cuda/CUDAEvent.h>
#endif

namespace dpfermi::deep {
namespace {

template <class To, class From>
at::Tensor tensor_of(std::span<const From> values, at::ScalarType type) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())}, type);
  std::copy(values.begin(), values.end(), tensor.data_ptr<To>());
  return tensor;
}

template <class T>
void copy_out(const at::Tensor& from, std::span<T> to) {
  TORCH_CHECK(static_cast<std::size_t>(from.numel()) == to.size(), "expected room for ",
              from.numel(), " values, not ", to.size());
  std::memcpy(to.data(), from.data_ptr<T>(), to.size_bytes());
}

/// As ContributionLayout::ClipRule, by row: longest / max(C, N), N a bound of the row's norm that
/// outweighs `roundings` roundings of its square; 0 where the norm is not finite.
at::Tensor clip_factors(const at::Tensor& squares, const Clip& clip, double roundings) {
  const double slack = (roundings + 8) * 0x1p-52;
  const at::Tensor norms = (squares.sqrt() * (1 + slack)).clamp_min(clip.clip_norm);
  return at::where(squares.isfinite(), norms.reciprocal() * (clip.longest * (1 - 0x1p-50)),
                   at::zeros_like(norms));
}

}  // namespace

struct DeepModel::State::Arrival {
#ifdef DPFERMI_TORCH_CUDA
  at::cuda::CUDAEvent event;
#endif
};

DeepModel::State::State(const ModelOptions& chosen, std::vector<std::unique_ptr<Layer>> all,
                        const at::Tensor& start)
    : options(chosen),
      device(chosen.place == Place::kGpu ? at::kCUDA : at::kCPU),
      type(chosen.precision == Precision::kBfloat16 ? at::kBFloat16 : at::kFloat),
      layers(std::move(all)) {
  std::int64_t size = 0;
  for (const auto& layer : layers) {
    starts_.push_back(size);
    size += layer->parameters();
  }
  TORCH_CHECK(start.numel() == size, "the network has ", size, " parameters, not ", start.numel());
  gradient = at::zeros({size}, at::TensorOptions(device).dtype(at::kFloat));
  set_theta(start);
}

void DeepModel::State::set_theta(const at::Tensor& values) {
  theta = values.to(device, at::kFloat, false, true);
  bind();
}

void DeepModel::State::bind() {
  const at::Tensor rounded = theta.to(type);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (layers[i]->parameters() == 0) continue;
    layers[i]->bind(rounded.narrow(0, starts_[i], layers[i]->parameters()));
  }
}

void DeepModel::State::load(std::span<const std::uint8_t> bytes,
                            std::span<const std::uint16_t> classes) {
  const auto n = static_cast<std::int64_t>(classes.size());
  pixels =
      tensor_of<std::uint8_t>(bytes, at::kByte).view({n, options.side, options.side, 3}).to(device);
  labels = tensor_of<std::int64_t>(classes, at::kLong).to(device);
}

/// Deterministic algorithms, and which of them by rule unless the options let cuDNN time them: a
/// secret sum is a function of its rows, and neither of their order nor of a stopwatch.
void DeepModel::State::choose_arithmetic() const {
  at::Context& context = at::globalContext();
  context.setDeterministicCuDNN(true);
  context.setBenchmarkCuDNN(options.timed);
  const bool tf32 = options.precision == Precision::kTf32;
  context.setAllowTF32CuDNN(tf32);
  context.setAllowTF32CuBLAS(tf32);
}

std::vector<DeepModel::State::Chunk> DeepModel::State::chunks_of(
    std::span<const std::uint32_t> members, std::span<const std::uint32_t> which,
    std::int64_t size) const {
  const auto n = static_cast<std::int64_t>(members.size());
  std::vector<Chunk> chunks;
  if (n == 0) return chunks;
  const std::int64_t room = device.is_cuda() ? (n + size - 1) / size * size : n;
  const auto padded = [&](std::span<const std::uint32_t> values) {
    const at::Tensor known = tensor_of<std::int64_t>(values, at::kLong);
    return at::cat({known, known.slice(0, 0, 1).expand(room - n)}).to(device);
  };
  const at::Tensor drawn = padded(members);
  const at::Tensor images = drawn.remainder(pixels.size(0));
  const at::Tensor views = drawn.div(pixels.size(0), "floor");
  const at::Tensor shifts = views.div(2, "floor");
  const at::Tensor across = shown_pixels(shifts.remainder(std::int64_t{kShifts}));
  const at::Tensor columns =
      at::where(views.remainder(2).to(at::kBool).view({-1, 1}), across.flip(1), across);
  const at::Tensor rows = shown_pixels(shifts.div(std::int64_t{kShifts}, "floor"));
  const at::Tensor lines = which.empty() ? at::Tensor() : padded(which);
  at::Tensor counts = at::zeros({room, 1}, at::kFloat);
  counts.slice(0, 0, n).fill_(1);
  counts = counts.to(device);
  for (std::int64_t start = 0; start < n; start += size) {
    const std::int64_t end = std::min(room, start + size);
    const auto part = [&](const at::Tensor& all) {
      return all.defined() ? all.slice(0, start, end) : all;
    };
    chunks.push_back({part(images), part(rows), part(columns), part(lines), part(counts),
                      std::min(n, end) - start});
  }
  return chunks;
}

/// Shift k moves by 0, -1, 1, -2, 2, ... times a sixty-fourth of the side; beyond the edge its last
/// pixel is repeated.
at::Tensor DeepModel::State::shown_pixels(const at::Tensor& shifts) const {
  const std::int64_t unit = std::max<std::int64_t>(1, options.side / 64);
  const at::Tensor moved = (shifts + 1).div(2, "floor") * (1 - 2 * shifts.remainder(2)) * unit;
  return (at::arange(static_cast<std::int64_t>(options.side), moved.options()) +
          moved.view({-1, 1}))
      .clamp(0, static_cast<std::int64_t>(options.side) - 1);
}

at::Tensor DeepModel::State::pictures(const Chunk& chunk) const {
  const at::Tensor shown = pixels.index(
      {chunk.images.view({-1, 1, 1}), chunk.rows.unsqueeze(2), chunk.columns.unsqueeze(1)});
  return shown.to(type).mul_(1 / 127.5).sub_(1).permute({0, 3, 1, 2});
}

/// A unit's bound is that of one row: layers that make several of it, or mix them, are no network
/// for this.
void DeepModel::State::check_outputs(const Chunk& chunk, const at::Tensor& x) const {
  TORCH_CHECK(x.dim() == 2 && x.size(0) == chunk.images.size(0) && x.size(1) == options.classes,
              "the network's output is not one line of ", options.classes, " numbers an image");
}

at::Tensor DeepModel::State::forward(const Chunk& chunk) {
  at::Tensor x = pictures(chunk);
  for (const auto& layer : layers) x = layer->forward(x);
  check_outputs(chunk, x);
  return x.to(at::kFloat);
}

at::Tensor DeepModel::State::deltas(const Chunk& chunk, const at::Tensor& f, const Rows& rows,
                                    const at::Tensor& functionals) const {
  const at::Tensor v = functionals.index_select(0, chunk.which);
  at::Tensor d = f * (v - (v * f).sum(1, true));
  if (rows.loss_weight != 0) {
    const at::Tensor y = labels.index_select(0, chunk.images);
    d.add_(f - at::one_hot(y, options.classes), rows.loss_weight);
  }
  return (d * chunk.counts).to(type);
}

void DeepModel::State::walk_back(at::Tensor d,
                                 const std::function<void(std::size_t, const at::Tensor&)>& take) {
  for (std::size_t i = layers.size(); i-- > 0;) {
    take(i, d);
    if (i > 0) d = layers[i]->backward(d);
  }
}

void DeepModel::State::probabilities(std::span<const std::uint32_t> members, std::span<float> f) {
  choose_arithmetic();
  std::vector<at::Tensor> parts;
  for (const Chunk& chunk : chunks_of(members, {}, options.chunk)) {
    parts.push_back(at::softmax(forward(chunk), 1).slice(0, 0, chunk.size));
    for (const auto& layer : layers) layer->forget();
  }
  if (!parts.empty()) copy_out(at::cat(parts).cpu().contiguous(), f);
}

at::Tensor DeepModel::State::view_features(const Chunk& chunk) {
  at::Tensor x = pictures(chunk);
  at::Tensor channels = x;
  for (const auto& layer : layers) {
    x = layer->forward(x);
    if (x.dim() == 4) channels = x;
  }
  check_outputs(chunk, x);
  for (const auto& layer : layers) layer->forget();
  return at::cat({channels.to(at::kFloat).mean({2, 3}), at::softmax(x.to(at::kFloat), 1)}, 1);
}

void DeepModel::State::features(std::span<const std::uint32_t> members,
                                std::vector<float>& values) {
  choose_arithmetic();
  values.clear();
  std::vector<std::uint32_t> mirrored(members.begin(), members.end());
  for (std::uint32_t& member : mirrored) member += static_cast<std::uint32_t>(pixels.size(0));
  const std::vector<Chunk> plain = chunks_of(members, {}, options.chunk);
  const std::vector<Chunk> other = chunks_of(mirrored, {}, options.chunk);
  for (std::size_t i = 0; i < plain.size(); ++i) {
    at::Tensor both = (view_features(plain[i]) + view_features(other[i])).div_(2);
    both.slice(1, both.size(1) - options.classes).clamp_min_(1e-30).log_();
    const at::Tensor part = both.slice(0, 0, plain[i].size).cpu().contiguous();
    const auto* first = part.data_ptr<float>();
    values.insert(values.end(), first, first + part.numel());
  }
}

void DeepModel::State::public_gradient(const Rows& rows, std::span<float> probabilities) {
  choose_arithmetic();
  const at::Tensor functionals = tensor_of<float>(rows.functionals, at::kFloat)
                                     .view({-1, static_cast<std::int64_t>(options.classes)})
                                     .to(device);
  gradient.zero_();
  std::vector<at::Tensor> parts;
  for (const Chunk& chunk : chunks_of(rows.members, rows.which, options.chunk)) {
    const at::Tensor f = at::softmax(forward(chunk), 1);
    walk_back(deltas(chunk, f, rows, functionals), [&](std::size_t i, const at::Tensor& d) {
      const std::int64_t size = layers[i]->parameters();
      if (size > 0) layers[i]->add_gradient(d, gradient.narrow(0, starts_[i], size));
    });
    for (const auto& layer : layers) layer->forget();
    parts.push_back(f.slice(0, 0, chunk.size));
  }
  gradient.div_(static_cast<double>(std::max<std::size_t>(rows.members.size(), 1)));
  if (!probabilities.empty()) copy_out(at::cat(parts).cpu().contiguous(), probabilities);
}

void DeepModel::State::sum_start(const Rows& rows, const Clip& clip) {
  choose_arithmetic();
  const at::Tensor functionals = tensor_of<float>(rows.functionals, at::kFloat)
                                     .view({-1, static_cast<std::int64_t>(options.classes)})
                                     .to(device);
  const at::TensorOptions here(device);
  const at::Tensor sums = at::zeros({theta.numel()}, here.dtype(at::kLong));
  // A CPU's products block by the number of rows: one row at a time depends on that row alone.
  const std::int64_t together = device.is_cuda() ? options.chunk : 1;
  std::vector<at::Tensor> parts;
  for (const Chunk& chunk : chunks_of(rows.members, rows.which, together)) {
    const at::Tensor f = at::softmax(forward(chunk), 1);
    const at::Tensor squares = at::zeros({f.size(0)}, here.dtype(at::kDouble));
    walk_back(deltas(chunk, f, rows, functionals),
              [&](std::size_t i, const at::Tensor& d) { layers[i]->add_norms(d, squares); });
    // Twice the entries: more than the roundings of any layer's norm and of its products.
    at::Tensor factors = clip_factors(squares, clip, 2.0 * static_cast<double>(theta.numel()));
    factors = factors * chunk.counts.flatten().to(at::kDouble);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const std::int64_t size = layers[i]->parameters();
      if (size > 0) layers[i]->add_clipped(factors, sums.narrow(0, starts_[i], size));
      layers[i]->forget();
    }
    parts.push_back(f.slice(0, 0, chunk.size));
  }
  const at::Tensor f = parts.empty() ? at::empty({0}, here.dtype(at::kFloat)) : at::cat(parts);
  sums_ = host(sums.sizes(), at::kLong).copy_(sums, true);
  f_ = host(f.sizes(), at::kFloat).copy_(f, true);
  arrival_ = std::make_shared<Arrival>();
#ifdef DPFERMI_TORCH_CUDA
  if (device.is_cuda()) arrival_->event.record();
#endif
}

void DeepModel::State::sum_finish(std::span<std::int64_t> sums, std::span<float> f) {
  TORCH_CHECK(arrival_ != nullptr, "no sum was started; call sum_start first");
#ifdef DPFERMI_TORCH_CUDA
  if (device.is_cuda()) arrival_->event.synchronize();
#endif
  arrival_.reset();
  copy_out(sums_, sums);
  copy_out(f_, f);
}

void DeepModel::State::descend(double step, double scale, std::span<const std::int64_t> released) {
  at::Tensor direction = gradient;
  if (!released.empty()) {
    at::Tensor noisy = host({theta.numel()}, at::kLong);
    TORCH_CHECK(static_cast<std::size_t>(noisy.numel()) == released.size(), "a released sum has ",
                noisy.numel(), " entries, not ", released.size());
    std::memcpy(noisy.data_ptr<std::int64_t>(), released.data(), released.size_bytes());
    direction = direction + noisy.to(device, true).to(at::kDouble).mul_(scale).to(at::kFloat);
  }
  theta.sub_(direction, step);
  bind();
}

void DeepModel::State::adapt(double step, double decay) {
  constexpr double kFirst = 0.9;
  constexpr double kSecond = 0.999;
  if (!first_.defined()) {
    first_ = at::zeros_like(gradient);
    second_ = at::zeros_like(gradient);
  }
  ++adapted_;
  first_.mul_(kFirst).add_(gradient, 1 - kFirst);
  second_.mul_(kSecond).addcmul_(gradient, gradient, 1 - kSecond);
  const double bias = 1 - std::pow(kFirst, static_cast<double>(adapted_));
  const double root = std::sqrt(1 - std::pow(kSecond, static_cast<double>(adapted_)));
  theta.mul_(1 - step * decay);
  theta.addcdiv_(first_, second_.sqrt().div_(root).add_(1e-8), -step / bias);
  bind();
}

/// Memory of the host that a GPU can copy to while both go on.
at::Tensor DeepModel::State::host(at::IntArrayRef size, at::ScalarType element) const {
  return at::empty(size, at::TensorOptions().dtype(element).pinned_memory(device.is_cuda()));
}

}  // namespace dpfermi::deep
