#pragma once

/// Layers that know the gradient of every row. A pass is forward through all, then, from the last
/// to the first, the gradient in the layer's own parameters and the derivative at its input. Layers
/// keep what the way back needs.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace dpfermi::deep {

class Layer {
 public:
  Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;
  virtual ~Layer() = default;

  /// Entries of theta that belong to this layer: weights, then biases.
  virtual std::int64_t parameters() const { return 0; }

  /// Takes new values: its part of theta, in the type that products are computed in.
  virtual void bind(const at::Tensor& /*theta*/) {}

  virtual at::Tensor forward(const at::Tensor& x) = 0;

  /// The derivative at the input of the last forward(), d being the one at its output. Called after
  /// add_gradient() or add_norms() with the same d.
  virtual at::Tensor backward(const at::Tensor& d) = 0;

  /// gradient += the sum over rows, d as above.
  virtual void add_gradient(const at::Tensor& /*d*/, const at::Tensor& /*gradient*/) {}

  /// norms[i] += the squared norm of row i's gradient. Keeps what add_clipped() needs: the rows'
  /// gradients where they are small beside the activations, their factors else.
  virtual void add_norms(const at::Tensor& /*d*/, const at::Tensor& /*norms*/) {}

  /// sums += trunc(factors[i] * gradient of row i), and lets go of what was kept.
  virtual void add_clipped(const at::Tensor& /*factors*/, const at::Tensor& /*sums*/) {}

  /// Lets go of what forward() kept.
  virtual void forget() = 0;
};

struct ConvolutionShape {
  std::int64_t inputs, outputs, kernel, stride, padding;
};

/// `constant_free`: what follows does not see a constant added to a channel (instance norm). Biases
/// are then left out, with gradient zero, which saves a pass over the outputs.
std::unique_ptr<Layer> make_convolution(const ConvolutionShape& shape, bool constant_free);
std::unique_ptr<Layer> make_linear(std::int64_t inputs, std::int64_t outputs);

/// Instance norm without parameters, then max(0, .).
std::unique_ptr<Layer> make_norm_relu(double eps);

/// With a scale and a shift for every channel.
std::unique_ptr<Layer> make_group_norm(std::int64_t groups, std::int64_t channels, double eps);

/// body(x) + shortcut(x); a way without layers gives back x.
std::unique_ptr<Layer> make_residual(std::vector<std::unique_ptr<Layer>> body,
                                     std::vector<std::unique_ptr<Layer>> shortcut);

/// Anything without parameters that treats rows apart; differentiated by libtorch.
std::unique_ptr<Layer> make_plain(std::function<at::Tensor(const at::Tensor&)> function);

}  // namespace dpfermi::deep
