#pragma once

/// What stands behind a DeepModel: layers, parameters and images on one device.

#include <ATen/ATen.h>

#include <memory>
#include <vector>

#include "dpfermi/torch/deep_model.h"
#include "torch/chain.h"
#include "torch/images.h"
#include "torch/team.h"

namespace dpfermi::deep {

struct DeepModel::State {
  /// `networks` are copies of one network, for a worker each: layers keep what their own way back
  /// needs. Requires theta with as many entries as a network has parameters.
  State(const ModelOptions& options, std::vector<Chain> networks, const at::Tensor& theta);

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
  Images images;
  at::Tensor theta, gradient;  ///< float32

 private:
  void choose_arithmetic() const;
  std::int64_t rows_together() const;
  at::Tensor table(std::span<const float> functionals) const;
  at::Tensor outputs(const Chunk& chunk, Chain& network, at::Tensor* channels = nullptr) const;
  /// Channels averaged over pixels and F, one after the other, of each row.
  at::Tensor view_features(const Chunk& chunk, Chain& network) const;
  struct Head {
    at::Tensor f;
    at::Tensor deltas;  ///< derivatives of each row's part of the objective at its outputs
  };
  Head head(const Chunk& chunk, const at::Tensor& outputs, const Rows& rows,
            const at::Tensor& functionals) const;
  void bind();
  at::Tensor host(at::IntArrayRef size, at::ScalarType type) const;

  std::vector<Chain> networks_;
  Team team_;
  at::Tensor first_, second_;  ///< moments of adapt()
  std::int64_t adapted_ = 0;
  at::Tensor sums_, f_;  ///< of the sum that was started, where the host can read
  struct Arrival;
  std::shared_ptr<Arrival> arrival_;  ///< reports when they are there
};

}  // namespace dpfermi::deep
