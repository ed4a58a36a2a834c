#pragma once

/// The loaded images on a model's device, and the pictures of them that a pass takes.

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace dpfermi::deep {

/// Rows that go through the network together.
struct Chunk {
  at::Tensor images;         ///< by number
  at::Tensor rows, columns;  ///< of the image that the picture shows: size x side
  at::Tensor which;          ///< line of the functionals
  at::Tensor counts;         ///< 1, or 0 for filling
  std::int64_t size;         ///< without filling
};

class Images {
 public:
  Images(at::Device device, std::int64_t side) : device_(device), side_(side) {}

  void load(std::span<const std::uint8_t> pixels, std::span<const std::uint16_t> labels);

  /// 0 before load().
  std::int64_t count() const { return pixels_.defined() ? pixels_.size(0) : 0; }
  const at::Tensor& labels() const { return labels_; }

  /// Members (deep_model.h), `size` at a time. On a GPU no chunk is smaller: the last one is filled
  /// up with copies of a member that count for nothing.
  std::vector<Chunk> chunks_of(std::span<const std::uint32_t> members,
                               std::span<const std::uint32_t> which, std::int64_t size) const;

  /// Channels-last, from -1 to 1.
  at::Tensor pictures(const Chunk& chunk, at::ScalarType type) const;

 private:
  at::Tensor shown_pixels(const at::Tensor& shifts) const;

  at::Device device_;
  std::int64_t side_;
  at::Tensor pixels_, labels_;  ///< n x side x side x 3 bytes; n
};

/// The values as a tensor on the host.
template <class To, class From>
at::Tensor tensor_of(std::span<const From> values, at::ScalarType type) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())}, type);
  std::copy(values.begin(), values.end(), tensor.data_ptr<To>());
  return tensor;
}

}  // namespace dpfermi::deep
