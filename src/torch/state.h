#pragma once

/// What stands behind a DeepModel: layers, parameters and images on one device.

#include <ATen/ATen.h>

#include <memory>
#include <vector>

#include "dpfermi/torch/deep_model.h"
#include "torch/layers.h"

namespace dpfermi::deep {

struct DeepModel::State {
  /// Requires at least one layer, and theta with as many entries as all have parameters.
  State(const ModelOptions& options, std::vector<std::unique_ptr<Layer>> layers,
        const at::Tensor& theta);

  void load(std::span<const std::uint8_t> pixels, std::span<const std::uint16_t> labels);
  void set_theta(const at::Tensor& theta);
  void probabilities(std::span<const std::uint32_t> members, std::span<float> f);
  void features(std::span<const std::uint32_t> members, std::vector<float>& values);
  void public_gradient(const Rows& rows, std::span<float> f);
  void sum_start(const Rows& rows, const Clip& clip);
  void sum_finish(std::span<std::int64_t> sums, std::span<float> f);
  void descend(double step, double scale, std::span<const std::int64_t> released);
  void adapt(double step, double decay);

  ModelOptions options;
  at::Device device;
  at::ScalarType type;  ///< of activations
  std::vector<std::unique_ptr<Layer>> layers;
  at::Tensor theta, gradient;  ///< float32
  at::Tensor pixels, labels;   ///< n x side x side x 3 bytes; n

 private:
  /// A chunk of rows. On a GPU its size never changes: the last one is filled up with copies of a
  /// member that count for nothing.
  struct Chunk {
    at::Tensor images;         ///< by number
    at::Tensor rows, columns;  ///< of the image that the picture shows: size x side
    at::Tensor which;          ///< line of the functionals
    at::Tensor counts;         ///< 1, or 0 for filling
    std::int64_t size;
  };
  std::vector<Chunk> chunks_of(std::span<const std::uint32_t> members,
                               std::span<const std::uint32_t> which, std::int64_t size) const;

  void choose_arithmetic() const;
  at::Tensor shown_pixels(const at::Tensor& shifts) const;
  at::Tensor pictures(const Chunk& chunk) const;
  void check_outputs(const Chunk& chunk, const at::Tensor& x) const;
  at::Tensor forward(const Chunk& chunk);
  /// Channels averaged over pixels and F, one after the other, of each row.
  at::Tensor view_features(const Chunk& chunk);
  at::Tensor deltas(const Chunk& chunk, const at::Tensor& f, const Rows& rows,
                    const at::Tensor& functionals) const;
  /// From the last layer to the first, `take` sees each layer and the derivative at its output.
  void walk_back(at::Tensor d, const std::function<void(std::size_t, const at::Tensor&)>& take);
  void bind();
  at::Tensor host(at::IntArrayRef size, at::ScalarType type) const;

  at::Tensor first_, second_;  ///< moments of adapt()
  std::int64_t adapted_ = 0;
  std::vector<std::int64_t> starts_;  ///< of the layers in theta
  at::Tensor sums_, f_;               ///< of the sum that was started, where the host can read
  struct Arrival;
  std::shared_ptr<Arrival> arrival_;  ///< tells when they are there
};

}  // namespace dpfermi::deep
