#include "dpfermi/core/outer_products.h"

#include <Eigen/Core>
#include <cassert>
#include <cmath>

namespace dpfermi {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const RowMajor>;

constexpr double kOne = 1U << kInputBits;

template <SparseNumbers numbers>
double read(float value) {
  if constexpr (numbers == SparseNumbers::kOnLattice) return std::trunc(kOne * double{value});
  return value;
}

/// One output: a row adds delta times its inputs. The bias, which every row touches, stays in a
/// register.
template <SparseNumbers numbers>
void add_single(const FactorBlock& block, std::size_t inputs, double* sums) {
  constexpr double one = numbers == SparseNumbers::kOnLattice ? kOne : 1;
  const std::span<const double> deltas = block.deltas(0);
  double bias = 0;
  for (std::size_t i = 0; i < block.rows(); ++i) {
    const double delta = deltas[i];
    const SparseRow& row = block.sparse(i);
    for (std::size_t j = 0; j < row.numbers.size(); ++j) {
      sums[j] += delta * read<numbers>(row.numbers[j]);
    }
    const double step = delta * one;
    for (const std::uint16_t column : row.ones) {
      if (column < inputs) sums[column] += step;
    }
    bias += step;
  }
  sums[inputs] += bias;
}

template <SparseNumbers numbers>
void add_several(const FactorBlock& block, const LayerShape& layer, double* sums) {
  constexpr double one = numbers == SparseNumbers::kOnLattice ? kOne : 1;
  const std::size_t outputs = layer.outputs;
  for (std::size_t i = 0; i < block.rows(); ++i) {
    const double* deltas = block.deltas(0).data() + i * outputs;
    const auto add = [&](std::size_t column, double input) {
      double* out = sums + column * outputs;
      for (std::size_t o = 0; o < outputs; ++o) out[o] += deltas[o] * input;
    };
    const SparseRow& row = block.sparse(i);
    for (std::size_t j = 0; j < row.numbers.size(); ++j) add(j, read<numbers>(row.numbers[j]));
    for (const std::uint16_t column : row.ones) {
      if (column < layer.inputs) add(column, one);
    }
    add(layer.inputs, one);
  }
}

template <SparseNumbers numbers>
void add_first_layer(const FactorBlock& block, double* sums) {
  const LayerShape& layer = block.layers()[0];
  if (layer.outputs == 1) {
    add_single<numbers>(block, layer.inputs, sums);
  } else {
    add_several<numbers>(block, layer, sums);
  }
}

void add_dense_layer(const FactorBlock& block, std::size_t j, double bias_input, double* sums) {
  const auto rows = static_cast<Eigen::Index>(block.rows());
  const auto in = static_cast<Eigen::Index>(block.layers()[j].inputs);
  const auto out = static_cast<Eigen::Index>(block.layers()[j].outputs);
  const ConstMap inputs(block.inputs(j).data(), rows, in);
  const ConstMap deltas(block.deltas(j).data(), rows, out);
  Eigen::Map<RowMajor> total(sums, in + 1, out);
  total.topRows(in).noalias() += inputs.transpose() * deltas;
  total.row(in) += bias_input * deltas.colwise().sum();
}

}  // namespace

FactorBlock::FactorBlock(std::vector<LayerShape> layers, std::size_t dense)
    : layers_(std::move(layers)), dense_size_(dense), dense_(kRows * dense) {
  for (const LayerShape& layer : layers_) {
    parameters_ += layer.parameters();
    inputs_.emplace_back(inputs_.empty() ? 0 : kRows * layer.inputs);
    deltas_.emplace_back(kRows * layer.outputs);
  }
}

void add_products(const FactorBlock& block, SparseNumbers numbers, std::span<double> sums) {
  assert(sums.size() == block.parameters());
  const bool lattice = numbers == SparseNumbers::kOnLattice;
  double* out = sums.data();
  if (lattice) {
    add_first_layer<SparseNumbers::kOnLattice>(block, out);
  } else {
    add_first_layer<SparseNumbers::kAsTheyAre>(block, out);
  }
  for (std::size_t j = 1; j < block.layers().size(); ++j) {
    out += block.layers()[j - 1].parameters();
    add_dense_layer(block, j, lattice ? kOne : 1, out);
  }
}

}  // namespace dpfermi
