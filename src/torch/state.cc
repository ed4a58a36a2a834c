#include "torch/state.h"

#include <ATen/Context.h>

#include <cmath>
#include <cstring>

#ifdef DPFERMI_TORCH_CUDA
#include <ATen/cuda/CUDAEvent.h>
#endif

namespace dpfermi::deep {
namespace {

/// Rows of the public gradient that are added up before their sum joins the others. Blocks and
/// their order do not depend on the workers, so neither does a bit of the result.
constexpr std::int64_t kBlock = 16;

/// What goes through the network together on a CPU, in pixels, where rows need not be apart: enough
/// to outweigh what every pass costs, and no more than stays in the caches.
constexpr std::int64_t kPassPixels = 4 * 64 * 64;

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

DeepModel::State::State(const ModelOptions& chosen, std::vector<Chain> networks,
                        const at::Tensor& start)
    : options(chosen),
      device(chosen.place == Place::kGpu ? at::kCUDA : at::kCPU),
      type(chosen.precision == Precision::kBfloat16 ? at::kBFloat16 : at::kFloat),
      images(device, options.side),
      networks_(std::move(networks)),
      team_(static_cast<unsigned>(networks_.size())) {
  const std::int64_t size = networks_.front().parameters();
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
  for (Chain& network : networks_) network.bind(rounded);
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

std::int64_t DeepModel::State::rows_together() const {
  if (device.is_cuda()) return options.chunk;
  const std::int64_t pixels = std::int64_t{options.side} * options.side;
  return std::clamp<std::int64_t>(kPassPixels / pixels, 1,
                                  std::min<std::int64_t>(options.chunk, kBlock));
}

at::Tensor DeepModel::State::table(std::span<const float> functionals) const {
  return tensor_of<float>(functionals, at::kFloat)
      .view({-1, static_cast<std::int64_t>(options.classes)})
      .to(device);
}

/// A unit's bound is that of one row: layers that make several of it, or mix them, are no network
/// for this.
at::Tensor DeepModel::State::outputs(const Chunk& chunk, Chain& network,
                                     at::Tensor* channels) const {
  const at::Tensor x = network.forward(images.pictures(chunk, type), channels);
  TORCH_CHECK(x.dim() == 2 && x.size(0) == chunk.images.size(0) && x.size(1) == options.classes,
              "the network's output is not one line of ", options.classes, " numbers an image");
  return x.to(at::kFloat);
}

DeepModel::State::Head DeepModel::State::head(const Chunk& chunk, const at::Tensor& outputs,
                                              const Rows& rows,
                                              const at::Tensor& functionals) const {
  const at::Tensor f = at::softmax(rows.tau == 1 ? outputs : outputs * rows.tau, 1);
  const at::Tensor v = functionals.index_select(0, chunk.which);
  at::Tensor d = f * (v - (v * f).sum(1, true)) * rows.tau;
  if (rows.loss_weight != 0) {
    const at::Tensor y = images.labels().index_select(0, chunk.images);
    const at::Tensor plain = rows.tau == 1 ? f : at::softmax(outputs, 1);
    d.add_(plain - at::one_hot(y, options.classes), rows.loss_weight);
  }
  return {f, (d * chunk.counts).to(type)};
}

void DeepModel::State::probabilities(std::span<const std::uint32_t> members, std::span<float> f) {
  choose_arithmetic();
  const std::vector<Chunk> chunks = images.chunks_of(members, {}, rows_together());
  std::vector<at::Tensor> parts(chunks.size());
  team_.each(chunks.size(), [&](std::size_t i, unsigned worker) {
    Chain& network = networks_[worker];
    parts[i] = at::softmax(outputs(chunks[i], network), 1).slice(0, 0, chunks[i].size);
    network.forget();
  });
  if (!parts.empty()) copy_out(at::cat(parts).cpu().contiguous(), f);
}

at::Tensor DeepModel::State::view_features(const Chunk& chunk, Chain& network) const {
  at::Tensor channels;
  const at::Tensor f = at::softmax(outputs(chunk, network, &channels), 1);
  network.forget();
  return at::cat({channels.to(at::kFloat).mean({2, 3}), f}, 1);
}

void DeepModel::State::features(std::span<const std::uint32_t> members,
                                std::vector<float>& values) {
  choose_arithmetic();
  std::vector<std::uint32_t> mirrored(members.begin(), members.end());
  for (std::uint32_t& member : mirrored) member += static_cast<std::uint32_t>(images.count());
  const std::vector<Chunk> plain = images.chunks_of(members, {}, rows_together());
  const std::vector<Chunk> other = images.chunks_of(mirrored, {}, rows_together());
  std::vector<at::Tensor> parts(plain.size());
  team_.each(plain.size(), [&](std::size_t i, unsigned worker) {
    Chain& network = networks_[worker];
    at::Tensor both = (view_features(plain[i], network) + view_features(other[i], network)).div_(2);
    both.slice(1, both.size(1) - options.classes).clamp_min_(1e-30).log_();
    parts[i] = both.slice(0, 0, plain[i].size).cpu();
  });
  values.clear();
  if (parts.empty()) return;
  const at::Tensor all = at::cat(parts).contiguous();
  values.assign(all.data_ptr<float>(), all.data_ptr<float>() + all.numel());
}

void DeepModel::State::public_gradient(const Rows& rows, std::span<float> probabilities) {
  choose_arithmetic();
  const at::Tensor functionals = table(rows.functionals);
  const std::vector<Chunk> chunks = images.chunks_of(rows.members, rows.which, rows_together());
  const auto block = static_cast<std::size_t>(std::max<std::int64_t>(1, kBlock / rows_together()));
  std::vector<at::Tensor> f(chunks.size());
  std::vector<at::Tensor> parts(team_.size());
  gradient.zero_();
  const auto compute = [&](std::size_t b, unsigned worker) {
    Chain& network = networks_[worker];
    parts[worker] = at::zeros_like(gradient);
    for (std::size_t i = b * block; i < std::min(chunks.size(), (b + 1) * block); ++i) {
      const Head own = head(chunks[i], outputs(chunks[i], network), rows, functionals);
      network.add_gradient(own.deltas, parts[worker], Chain::Input::kUnused);
      network.forget();
      f[i] = own.f.slice(0, 0, chunks[i].size);
    }
  };
  team_.each_in_order((chunks.size() + block - 1) / block, compute,
                      [&](std::size_t, unsigned worker) { gradient.add_(parts[worker]); });
  gradient.div_(static_cast<double>(std::max<std::size_t>(rows.members.size(), 1)));
  if (!probabilities.empty()) copy_out(at::cat(f).cpu().contiguous(), probabilities);
}

void DeepModel::State::sum_start(const Rows& rows, const Clip& clip) {
  choose_arithmetic();
  const at::Tensor functionals = table(rows.functionals);
  const at::TensorOptions here(device);
  // A CPU's products block by the number of rows: one row at a time depends on that row alone.
  const std::int64_t together = device.is_cuda() ? options.chunk : 1;
  const std::vector<Chunk> chunks = images.chunks_of(rows.members, rows.which, together);
  std::vector<at::Tensor> parts(chunks.size());
  // Integer addition is order-independent, so the sum does not depend on the number of workers.
  std::vector<at::Tensor> sums(team_.size());
  for (at::Tensor& own : sums) own = at::zeros({theta.numel()}, here.dtype(at::kLong));
  team_.each(chunks.size(), [&](std::size_t i, unsigned worker) {
    Chain& network = networks_[worker];
    const Chunk& chunk = chunks[i];
    const Head own = head(chunk, outputs(chunk, network), rows, functionals);
    const at::Tensor squares = at::zeros({own.f.size(0)}, here.dtype(at::kDouble));
    network.add_norms(own.deltas, squares, Chain::Input::kUnused);
    // Twice the entries: more than the roundings of any layer's norm and of its products.
    const at::Tensor factors =
        clip_factors(squares, clip, 2.0 * static_cast<double>(theta.numel()));
    network.add_clipped(factors * chunk.counts.flatten().to(at::kDouble), sums[worker]);
    network.forget();
    parts[i] = own.f.slice(0, 0, chunk.size);
  });
  for (std::size_t worker = 1; worker < sums.size(); ++worker) sums[0].add_(sums[worker]);
  const at::Tensor f = parts.empty() ? at::empty({0}, here.dtype(at::kFloat)) : at::cat(parts);
  sums_ = host(sums[0].sizes(), at::kLong).copy_(sums[0], true);
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
