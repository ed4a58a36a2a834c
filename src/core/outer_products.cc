#include "dpfermi/core/outer_products.h"

#include <Eigen/Core>
#include <cassert>

#include "dpfermi/core/fixed_count.h"
#include "dpfermi/core/vector_math.h"

namespace dpfermi {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const RowMajor>;

/// One output. The bias, which every row touches, stays in a register; what a column past the last
/// one writes to its place is thrown away. Rows take turns between two sums: often they share
/// columns, and one would wait for the other.
void add_single(const FactorBlock& block, std::size_t inputs, double one, double* sums) {
  const std::span<const double> deltas = block.deltas(0);
  for (std::size_t j = 0; j < block.number_count(); ++j) {
    sums[j] += dot(deltas, {block.numbers(j), deltas.size()});
  }
  double bias = sums[inputs];
  double* others = block.columns().data();
  std::fill_n(others, inputs, 0.0);
  with_fixed_count(block.one_count(), [&](auto count) {
    for (std::size_t i = 0; i < deltas.size(); ++i) {
      const std::uint16_t* columns = block.ones(i);
      double* own = i % 2 == 0 ? sums : others;
      const double step = deltas[i] * one;
      bias += step;
      for (std::size_t c = 0; c < count; ++c) own[columns[c]] += step;
    }
  });
  for (std::size_t j = 0; j < inputs; ++j) sums[j] += others[j];
  sums[inputs] = bias;
}

void add_several(const FactorBlock& block, const LayerShape& layer, double one, double* sums) {
  const std::size_t outputs = layer.outputs;
  for (std::size_t i = 0; i < block.rows(); ++i) {
    const double* deltas = block.deltas(0).data() + i * outputs;
    const auto add = [&](std::size_t column, double input) {
      double* out = sums + column * outputs;
      for (std::size_t o = 0; o < outputs; ++o) out[o] += deltas[o] * input;
    };
    for (std::size_t j = 0; j < block.number_count(); ++j) add(j, block.numbers(j)[i]);
    for (std::size_t c = 0; c < block.one_count(); ++c) {
      if (block.ones(i)[c] < layer.inputs) add(block.ones(i)[c], one);
    }
    add(layer.inputs, one);
  }
}

void add_dense_layer(const FactorBlock& block, std::size_t j, double one, double* sums) {
  const auto rows = static_cast<Eigen::Index>(block.rows());
  const auto in = static_cast<Eigen::Index>(block.layers()[j].inputs);
  const auto out = static_cast<Eigen::Index>(block.layers()[j].outputs);
  const ConstMap inputs(block.inputs(j).data(), rows, in);
  const ConstMap deltas(block.deltas(j).data(), rows, out);
  Eigen::Map<RowMajor> total(sums, in + 1, out);
  total.topRows(in).noalias() += inputs.transpose() * deltas;
  total.row(in) += one * deltas.colwise().sum();
}

}  // namespace

FactorBlock::FactorBlock(std::vector<LayerShape> layers, std::size_t dense)
    : layers_(std::move(layers)),
      dense_size_(dense),
      columns_(layers_[0].inputs + 1),
      dense_(kRows * dense) {
  for (const LayerShape& layer : layers_) {
    parameters_ += layer.parameters();
    inputs_.emplace_back(inputs_.empty() ? 0 : kRows * layer.inputs);
    deltas_.emplace_back(kRows * layer.outputs);
  }
}

void FactorBlock::resize(std::size_t rows, std::size_t numbers, std::size_t ones) {
  rows_ = rows;
  number_count_ = numbers;
  one_count_ = ones;
  numbers_.resize(kRows * numbers);
}

void add_dense(const FactorBlock& block, std::span<double> sums) {
  assert(sums.size() == block.dense_size());
  const std::span<const double> dense = block.dense();
  with_fixed_count(sums.size(), [&](auto count) {
    for (std::size_t start = 0; start < dense.size(); start += count) {
      for (std::size_t i = 0; i < count; ++i) sums[i] += dense[start + i];
    }
  });
}

void add_products(const FactorBlock& block, double one, std::span<double> sums) {
  assert(sums.size() == block.parameters());
  double* out = sums.data();
  const LayerShape& first = block.layers()[0];
  if (first.outputs == 1) {
    add_single(block, first.inputs, one, out);
  } else {
    add_several(block, first, one, out);
  }
  for (std::size_t j = 1; j < block.layers().size(); ++j) {
    out += block.layers()[j - 1].parameters();
    add_dense_layer(block, j, one, out);
  }
}

}  // namespace dpfermi
