#include "model/network.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <type_traits>

#include "core/fixed_count.h"
#include "core/vector_math.h"
#include "model/tree_ensemble.h"
#include "random/key_stream.h"

namespace dpfermi {
namespace {

constexpr std::size_t kRows = FactorBlock::kRows;

/// Numbers and ones times a single column of weights.
void single_output(std::span<const double> weights, std::span<const double> of_codes,
                   const FactorBlock& block, std::span<double> outputs) {
  with_fixed_count(block.code_count(), [&](auto count) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      double sum = weights.back();
      for (std::size_t c = 0; c < count; ++c) sum += of_codes[block.codes(c)[i]];
      outputs[i] = sum;
    }
  });
  with_fixed_count(block.number_count(), [&](auto count) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      double sum = outputs[i];
      for (std::size_t j = 0; j < count; ++j) sum += weights[j] * block.numbers(j)[i];
      outputs[i] = sum;
    }
  });
}

/// Outputs of `kSide` rows from row i on, side by side: one row's sums would wait for each other.
template <std::size_t kSide, class Count>
void several_rows(const double* weights, const LayerShape& layer, const FactorBlock& block,
                  Count count, std::size_t i, double* out) {
  const auto add = [&](std::size_t side, std::size_t column, double input) {
    const double* from = weights + column * count;
    for (std::size_t o = 0; o < count; ++o) out[side * count + o] += input * from[o];
  };
  for (std::size_t side = 0; side < kSide; ++side) add(side, layer.inputs, 1);
  for (std::size_t j = 0; j < block.number_count(); ++j) {
    for (std::size_t side = 0; side < kSide; ++side) add(side, j, block.numbers(j)[i + side]);
  }
  for (std::size_t c = 0; c < block.code_count(); ++c) {
    for (std::size_t side = 0; side < kSide; ++side) {
      const std::size_t column = block.codes(c)[i + side];
      if (column < layer.inputs) add(side, column, 1);
    }
  }
}

void several_outputs(const double* weights, const LayerShape& layer, const FactorBlock& block,
                     std::span<double> outputs) {
  with_fixed_count(layer.outputs, [&](auto count) {
    std::size_t i = 0;
    if constexpr (!std::is_same_v<decltype(count), std::size_t>) {
      constexpr std::size_t kSide = count <= 4 ? 4 : 2;
      for (; i + kSide <= block.rows(); i += kSide) {
        std::array<double, kSide * count> own{};  // in registers
        several_rows<kSide>(weights, layer, block, count, i, own.data());
        std::ranges::copy(own, outputs.data() + i * count);
      }
    }
    for (; i < block.rows(); ++i) {
      double* out = outputs.data() + i * count;
      std::fill_n(out, layer.outputs, 0.0);
      several_rows<1>(weights, layer, block, count, i, out);
    }
  });
}

/// out (rows x outputs) = in (rows x inputs) w + bias; no bias where it is null. Every row is
/// summed in the same order, whatever its place in the block and the other rows of the block:
/// the contribution of a unit must not depend, not even in its last bit, on others. General matrix
/// products do not promise that.
void multiply_rows(std::span<const double> in, std::size_t inputs, const double* w,
                   std::size_t outputs, const double* bias, double* out) {
  for (std::size_t start = 0; start < in.size(); start += inputs, out += outputs) {
    const double* own = in.data() + start;
    double* __restrict sums = out;
    for (std::size_t o = 0; o < outputs; ++o) sums[o] = bias == nullptr ? 0 : bias[o];
    std::size_t j = 0;
    for (; j + 4 <= inputs; j += 4) {
      const double* from = w + j * outputs;
      for (std::size_t o = 0; o < outputs; ++o) {
        sums[o] = sums[o] + own[j] * from[o] + own[j + 1] * from[outputs + o] +
                  own[j + 2] * from[2 * outputs + o] + own[j + 3] * from[3 * outputs + o];
      }
    }
    for (; j < inputs; ++j) {
      for (std::size_t o = 0; o < outputs; ++o) sums[o] += own[j] * w[j * outputs + o];
    }
  }
}

/// inputs x outputs as outputs x inputs.
std::vector<double> transposed(const double* w, std::size_t inputs, std::size_t outputs) {
  std::vector<double> result(inputs * outputs);
  for (std::size_t j = 0; j < inputs; ++j) {
    for (std::size_t o = 0; o < outputs; ++o) result[o * inputs + j] = w[j * outputs + o];
  }
  return result;
}

}  // namespace

void Network::load(const HybridMatrix& x, std::span<const std::uint32_t> rows, FactorBlock& block) {
  block.resize(rows.size(), x.number_count(), x.category_count());
  with_fixed_count(x.category_count(), [&](auto count) {
    if (count == 0) return;
    std::uint16_t* out = block.codes(0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint16_t* columns = x.row(rows[i]).ones.data();
      for (std::size_t c = 0; c < count; ++c) out[c * kRows + i] = columns[c];
    }
  });
  if (x.number_count() == 0) return;
  with_fixed_count(x.number_count(), [&](auto count) {
    double* out = block.numbers(0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const float* values = x.row(rows[i]).numbers.data();
      for (std::size_t j = 0; j < count; ++j) out[j * kRows + i] = values[j];
    }
  });
}

std::vector<double> Network::code_weights(std::span<const double> theta,
                                          const ColumnCodes& codes) const {
  if (layers_[0].outputs > 1) return {};
  std::vector<double> weights(codes.size());
  codes.expand(theta.first(layers_[0].inputs), weights);
  return weights;
}

void Network::first_layer(std::span<const double> theta, std::span<const double> of_codes,
                          const FactorBlock& block, std::span<double> outputs) const {
  const LayerShape& layer = layers_[0];
  if (layer.outputs == 1) {
    single_output(theta.first(layer.parameters()), of_codes, block, outputs);
  } else {
    several_outputs(theta.data(), layer, block, outputs);
  }
}

void Network::forward(std::span<const double> theta, FactorBlock& block,
                      std::span<double> outputs) const {
  forward(theta, code_weights(theta, *block.column_codes()), block, outputs);
}

void Network::forward(std::span<const double> theta, std::span<const double> of_codes,
                      FactorBlock& block, std::span<double> outputs) const {
  const double* weights = theta.data();
  for (std::size_t j = 0; j < layers_.size(); ++j) {
    const LayerShape& layer = layers_[j];
    const std::span<double> out = j + 1 == layers_.size() ? outputs : block.inputs(j + 1);
    if (j == 0) {
      first_layer(theta, of_codes, block, out);
    } else {
      multiply_rows(block.inputs(j), layer.inputs, weights, layer.outputs,
                    weights + layer.inputs * layer.outputs, out.data());
    }
    if (j + 1 < layers_.size()) hyperbolic_tangent(out);
    weights += layer.parameters();
  }
}

void Network::backward(std::span<const double> theta, FactorBlock& block) const {
  const double* weights = theta.data() + theta.size();
  for (std::size_t j = layers_.size(); --j > 0;) {
    const LayerShape& layer = layers_[j];
    weights -= layer.parameters();
    const std::vector<double> back = transposed(weights, layer.inputs, layer.outputs);
    const std::span<double> below = block.deltas(j - 1);
    multiply_rows(block.deltas(j), layer.outputs, back.data(), layer.inputs, nullptr, below.data());
    const std::span<const double> activations = block.inputs(j);
    for (std::size_t i = 0; i < below.size(); ++i) below[i] *= 1 - activations[i] * activations[i];
  }
}

Result<std::vector<double>> InitialParameters::draw(const ModelSpec& spec, NoiseLane lane) {
  std::vector<double> theta(spec.parameter_count());
  KeyStream stream = lane.stream(0, 0);
  double* weights = theta.data();
  const std::vector<LayerShape> layers = spec.layers();
  for (std::size_t j = 0; j + 1 < layers.size(); ++j) {
    const double bound = std::sqrt(3.0 / static_cast<double>(layers[j].inputs));
    for (std::size_t i = 0; i < layers[j].inputs * layers[j].outputs; ++i) {
      const double uniform = std::ldexp(static_cast<double>(stream.next() >> 11), -53);
      weights[i] = bound * (2 * uniform - 1);
    }
    weights += layers[j].parameters();
  }
  DPFERMI_TRY(stream.status());
  return theta;
}

std::vector<float> predict(const Network& network, std::span<const double> theta,
                           const HybridMatrix& x) {
  if (network.spec().boosted) return tree_probabilities(network.spec(), theta, x);
  const std::size_t classes = network.spec().classes;
  const std::size_t width = network.outputs();
  std::vector<float> probabilities(x.rows() * classes);
  FactorBlock block(network.layers());
  std::vector<std::uint32_t> rows(FactorBlock::kRows);
  std::vector<double> outputs(FactorBlock::kRows * width);
  for (std::size_t start = 0; start < x.rows(); start += FactorBlock::kRows) {
    const std::size_t size = std::min(FactorBlock::kRows, x.rows() - start);
    std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(start));
    Network::load(x, std::span(rows).first(size), block);
    const std::span<double> out = std::span(outputs).first(size * width);
    network.forward(theta, block, out);
    float* to = probabilities.data() + start * classes;
    if (width == 1) {
      sigmoid(out, 1, out);
      for (std::size_t i = 0; i < size; ++i) {
        to[2 * i] = static_cast<float>(1 - out[i]);
        to[2 * i + 1] = static_cast<float>(out[i]);
      }
    } else {
      softmax(out, width, 1, out);
      std::ranges::transform(out, to, [](double p) { return static_cast<float>(p); });
    }
  }
  return probabilities;
}

}  // namespace dpfermi
