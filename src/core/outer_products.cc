#include "core/outer_products.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cassert>

#include "core/fixed_count.h"
#include "core/vector_math.h"

namespace dpfermi {
namespace {

constexpr std::size_t kTurns = 2;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using ConstMap = Eigen::Map<const RowMajor>;

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

FactorBlock::FactorBlock(std::vector<LayerShape> layers, std::size_t dense,
                         std::shared_ptr<const ColumnCodes> codes)
    : layers_(std::move(layers)),
      dense_size_(dense),
      column_codes_(codes ? std::move(codes)
                          : std::make_shared<const ColumnCodes>(layers_[0].inputs)),
      dense_(kRows * dense) {
  assert(column_codes_->columns() == layers_[0].inputs);
  assert(layers_[0].outputs == 1 || !column_codes_->merged());
  for (const LayerShape& layer : layers_) {
    parameters_ += layer.parameters();
    inputs_.emplace_back(inputs_.empty() ? 0 : kRows * layer.inputs);
    deltas_.emplace_back(kRows * layer.outputs);
  }
}

void FactorBlock::resize(std::size_t rows, std::size_t numbers, std::size_t codes,
                         std::optional<std::size_t> ones) {
  constexpr std::size_t kMore = 8;
  rows_ = rows;
  number_count_ = numbers;
  code_count_ = codes;
  numbers_.resize(kRows * numbers);
  ones_per_row_ = ones;
  codes_.resize(kRows * (codes + kMore));
}

void add_dense(const FactorBlock& block, std::span<double> sums) {
  assert(sums.size() == block.dense_size());
  for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += sum(block.dense(j));
}

/// One output. Rows take turns between sums by code: often they share codes, and one would wait for
/// the other.
void ProductSums::add_single(const FactorBlock& block, double one) {
  const std::size_t inputs = block.layers()[0].inputs;
  const std::span<const double> deltas = block.deltas(0);
  for (std::size_t j = 0; j < block.number_count(); ++j) {
    sums_[j] += dot(deltas, {block.numbers(j), deltas.size()});
  }
  sums_[inputs] += one * sum(deltas);
  std::array<double*, kTurns> turns;
  for (std::size_t t = 0; t < kTurns; ++t) turns[t] = by_code_.data() + t * codes_->size();
  with_fixed_count(block.code_count(), [&](auto count) {
    const auto add_row = [&](std::size_t i, double* own) {
      const double step = deltas[i] * one;
      for (std::size_t c = 0; c < count; ++c) own[block.codes(c)[i]] += step;
    };
    std::size_t i = 0;
    for (; i + kTurns <= deltas.size(); i += kTurns) {
      for (std::size_t t = 0; t < kTurns; ++t) add_row(i + t, turns[t]);
    }
    for (; i < deltas.size(); ++i) add_row(i, turns[0]);
  });
}

void ProductSums::add_several(const FactorBlock& block, double one) {
  const LayerShape& layer = block.layers()[0];
  const std::size_t outputs = layer.outputs;
  for (std::size_t i = 0; i < block.rows(); ++i) {
    const double* deltas = block.deltas(0).data() + i * outputs;
    const auto add_column = [&](std::size_t column, double input) {
      double* out = sums_.data() + column * outputs;
      for (std::size_t o = 0; o < outputs; ++o) out[o] += deltas[o] * input;
    };
    for (std::size_t j = 0; j < block.number_count(); ++j) add_column(j, block.numbers(j)[i]);
    for (std::size_t c = 0; c < block.code_count(); ++c) {
      const std::size_t column = block.codes(c)[i];
      if (column < layer.inputs) add_column(column, one);
    }
    add_column(layer.inputs, one);
  }
}

void ProductSums::add(const FactorBlock& block, double one) {
  const bool single = block.layers()[0].outputs == 1;
  if (sums_.empty()) {
    codes_ = block.column_codes();
    sums_.resize(block.parameters());
    if (single) by_code_.resize(kTurns * codes_->size());
  }
  assert(sums_.size() == block.parameters() && codes_->size() == block.column_codes()->size());
  if (single) {
    add_single(block, one);
  } else {
    add_several(block, one);
  }
  double* out = sums_.data();
  for (std::size_t j = 1; j < block.layers().size(); ++j) {
    out += block.layers()[j - 1].parameters();
    add_dense_layer(block, j, one, out);
  }
}

void ProductSums::move_to(std::span<double> sums) {
  if (!by_code_.empty()) {
    const std::span<double> all = std::span(by_code_).first(codes_->size());
    for (std::size_t t = 1; t < kTurns; ++t) {
      const double* other = by_code_.data() + t * all.size();
      for (std::size_t i = 0; i < all.size(); ++i) all[i] += other[i];
    }
    codes_->fold(all, std::span(sums_).first(codes_->columns()));
  }
  for (std::size_t i = 0; i < sums_.size(); ++i) sums[i] += sums_[i];
  std::ranges::fill(sums_, 0.0);
  std::ranges::fill(by_code_, 0.0);
}

void add_products(const FactorBlock& block, double one, std::span<double> sums) {
  assert(sums.size() == block.parameters());
  ProductSums products;
  products.add(block, one);
  products.move_to(sums);
}

}  // namespace dpfermi
