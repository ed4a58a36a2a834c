#include "reference/model.h"

#include <cmath>

namespace dpfermi::reference {
namespace {

/// Where in theta a linear layer keeps its numbers.
struct Layer {
  std::size_t in;
  std::size_t out;
  std::size_t first;       // of its weights
  std::size_t row_stride;  // from the weights of one output to those of the next
  std::size_t first_bias;
  std::size_t bias_stride;

  std::size_t weight(std::size_t o, std::size_t i) const { return first + o * row_stride + i; }
  std::size_t bias(std::size_t o) const { return first_bias + o * bias_stride; }
};

std::vector<Layer> layers_of(const Model& model) {
  if (model.hidden.empty()) {
    const std::size_t d = model.inputs;
    return {{d, model.outputs(), 0, d + 1, d, d + 1}};
  }
  std::vector<Layer> layers;
  std::size_t in = model.inputs;
  std::size_t first = 0;
  for (std::size_t i = 0; i <= model.hidden.size(); ++i) {
    const std::size_t out = i < model.hidden.size() ? model.hidden[i] : model.outputs();
    layers.push_back({in, out, first, in, first + out * in, 1});
    first += out * (in + 1);
    in = out;
  }
  return layers;
}

/// What enters each layer, and last the outputs.
std::vector<Vector> forward(const std::vector<Layer>& layers, const Vector& theta,
                            const Vector& x) {
  std::vector<Vector> values = {x};
  for (std::size_t n = 0; n < layers.size(); ++n) {
    const Layer& layer = layers[n];
    Vector next(layer.out);
    for (std::size_t o = 0; o < layer.out; ++o) {
      next[o] = theta[layer.bias(o)];
      for (std::size_t i = 0; i < layer.in; ++i) {
        next[o] += theta[layer.weight(o, i)] * values[n][i];
      }
      if (n + 1 < layers.size()) next[o] = std::tanh(next[o]);
    }
    values.push_back(next);
  }
  return values;
}

}  // namespace

std::size_t parameter_count(const Model& model) {
  std::size_t count = 0;
  for (const Layer& layer : layers_of(model)) count += layer.out * (layer.in + 1);
  return count;
}

Vector logits(const Model& model, const Vector& theta, const Vector& x) {
  const Vector outputs = forward(layers_of(model), theta, x).back();
  return model.classes == 2 ? Vector{0, outputs[0]} : outputs;
}

Vector theta_gradient(const Model& model, const Vector& theta, const Vector& x, const Vector& g) {
  const std::vector<Layer> layers = layers_of(model);
  const std::vector<Vector> values = forward(layers, theta, x);
  Vector gradient(theta.size(), 0.0);
  // The gradient before the activation of the layer in hand; the first logit of two is constant.
  Vector delta = model.classes == 2 ? Vector{g[1]} : g;
  for (std::size_t n = layers.size(); n-- > 0;) {
    const Layer& layer = layers[n];
    Vector below(layer.in, 0.0);
    for (std::size_t o = 0; o < layer.out; ++o) {
      gradient[layer.bias(o)] = delta[o];
      for (std::size_t i = 0; i < layer.in; ++i) {
        gradient[layer.weight(o, i)] = delta[o] * values[n][i];
        below[i] += theta[layer.weight(o, i)] * delta[o];
      }
    }
    // tanh' = 1 - tanh^2, of no use below the first layer.
    for (std::size_t i = 0; i < layer.in; ++i) below[i] *= 1 - values[n][i] * values[n][i];
    delta = below;
  }
  return gradient;
}

Vector all_logits(const Model& model, const Vector& theta, const Vector& x) {
  Vector result;
  for (std::size_t i = 0; i < x.size() / model.inputs; ++i) {
    const Vector z = logits(model, theta, row(x, i, model.inputs));
    result.insert(result.end(), z.begin(), z.end());
  }
  return result;
}

Vector total_theta_gradient(const Model& model, const Vector& theta, const Vector& x,
                            const Vector& g) {
  Vector total(theta.size(), 0.0);
  for (std::size_t i = 0; i < x.size() / model.inputs; ++i) {
    const Vector one =
        theta_gradient(model, theta, row(x, i, model.inputs), row(g, i, model.classes));
    for (std::size_t t = 0; t < total.size(); ++t) total[t] += one[t];
  }
  return total;
}

}  // namespace dpfermi::reference
