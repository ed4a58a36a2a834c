#pragma once

/// The model: it speaks parameters. From rows to outputs, and from derivatives at the outputs to
/// the factors of the gradient (core/outer_products.h), a block of rows at a time.

#include <cstdint>
#include <span>
#include <vector>

#include "core/outer_products.h"
#include "data/hybrid_matrix.h"
#include "dpfermi/random/noise_source.h"
#include "model/model_spec.h"

namespace dpfermi {

class Network {
 public:
  explicit Network(ModelSpec spec) : spec_(std::move(spec)), layers_(spec_.layers()) {}

  const ModelSpec& spec() const { return spec_; }
  const std::vector<LayerShape>& layers() const { return layers_; }
  std::size_t outputs() const { return spec_.outputs(); }

  /// Copies rows of x into the block. Requires codes that are not merged.
  static void load(const HybridMatrix& x, std::span<const std::uint32_t> rows, FactorBlock& block);

  /// The outputs (rows x outputs) of a loaded block; keeps the activations in it.
  void forward(std::span<const double> theta, FactorBlock& block, std::span<double> outputs) const;

  /// The same for many blocks with one theta, whose code_weights() are then made once.
  void forward(std::span<const double> theta, std::span<const double> of_codes, FactorBlock& block,
               std::span<double> outputs) const;

  /// The first layer's weights by code; empty where it has several outputs.
  std::vector<double> code_weights(std::span<const double> theta, const ColumnCodes& codes) const;

  /// After forward(), with the derivatives at the outputs in the last layer's deltas: fills in
  /// those of the layers below.
  void backward(std::span<const double> theta, FactorBlock& block) const;

 private:
  void first_layer(std::span<const double> theta, std::span<const double> of_codes,
                   const FactorBlock& block, std::span<double> outputs) const;

  ModelSpec spec_;
  std::vector<LayerShape> layers_;
};

/// Starting parameters: zeros for softmax regression; otherwise weights uniform in
/// +-sqrt(3 / inputs) of their layer, zero biases, and zeros in the last layer.
class InitialParameters {
 public:
  static Result<std::vector<double>> draw(const ModelSpec& spec, NoiseLane lane);
};

/// Class probabilities (rows x l) of every row of x; by trees where the spec says so.
std::vector<float> predict(const Network& network, std::span<const double> theta,
                           const HybridMatrix& x);

}  // namespace dpfermi
