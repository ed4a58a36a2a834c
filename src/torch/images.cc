#include "torch/images.h"

#include "dpfermi/torch/deep_model.h"

namespace dpfermi::deep {

void Images::load(std::span<const std::uint8_t> bytes, std::span<const std::uint16_t> classes) {
  const auto n = static_cast<std::int64_t>(classes.size());
  pixels_ = tensor_of<std::uint8_t>(bytes, at::kByte).view({n, side_, side_, 3}).to(device_);
  labels_ = tensor_of<std::int64_t>(classes, at::kLong).to(device_);
}

std::vector<Chunk> Images::chunks_of(std::span<const std::uint32_t> members,
                                     std::span<const std::uint32_t> which,
                                     std::int64_t size) const {
  const auto n = static_cast<std::int64_t>(members.size());
  std::vector<Chunk> chunks;
  if (n == 0) return chunks;
  const std::int64_t room = device_.is_cuda() ? (n + size - 1) / size * size : n;
  const auto padded = [&](std::span<const std::uint32_t> values) {
    const at::Tensor known = tensor_of<std::int64_t>(values, at::kLong);
    return at::cat({known, known.slice(0, 0, 1).expand(room - n)}).to(device_);
  };
  const at::Tensor drawn = padded(members);
  const at::Tensor images = drawn.remainder(pixels_.size(0));
  const at::Tensor views = drawn.div(pixels_.size(0), "floor");
  const at::Tensor shifts = views.div(2, "floor");
  const at::Tensor across = shown_pixels(shifts.remainder(std::int64_t{kShifts}));
  const at::Tensor columns =
      at::where(views.remainder(2).to(at::kBool).view({-1, 1}), across.flip(1), across);
  const at::Tensor rows = shown_pixels(shifts.div(std::int64_t{kShifts}, "floor"));
  const at::Tensor lines = which.empty() ? at::Tensor() : padded(which);
  at::Tensor counts = at::zeros({room, 1}, at::kFloat);
  counts.slice(0, 0, n).fill_(1);
  counts = counts.to(device_);
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
at::Tensor Images::shown_pixels(const at::Tensor& shifts) const {
  const std::int64_t unit = std::max<std::int64_t>(1, side_ / 64);
  const at::Tensor moved = (shifts + 1).div(2, "floor") * (1 - 2 * shifts.remainder(2)) * unit;
  return (at::arange(side_, moved.options()) + moved.view({-1, 1})).clamp(0, side_ - 1);
}

at::Tensor Images::pictures(const Chunk& chunk, at::ScalarType type) const {
  const at::Tensor shown = pixels_.index(
      {chunk.images.view({-1, 1, 1}), chunk.rows.unsqueeze(2), chunk.columns.unsqueeze(1)});
  return shown.to(type).mul_(1 / 127.5).sub_(1).permute({0, 3, 1, 2});
}

}  // namespace dpfermi::deep
