#include "privacy/mechanism/partial_sum.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dpfermi {
namespace {

/// One number per row of a block.
using PerRow = std::array<double, FactorBlock::kRows>;

std::span<double> row_of(std::span<double> values, std::size_t row, std::size_t width) {
  return values.subspan(row * width, width);
}

double squared_norm(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

/// Of [numbers, ones, 1].
double squared_norm(const SparseRow& row, std::size_t columns) {
  double sum = 1;
  for (const float number : row.numbers) sum += double{number} * number;
  std::size_t ones = 0;
  for (const std::uint16_t column : row.ones) ones += column < columns ? 1 : 0;
  return sum + static_cast<double>(ones);
}

/// The squared norms of the products of every row.
void product_norms(FactorBlock& block, PerRow& squares) {
  for (std::size_t row = 0; row < block.rows(); ++row) squares[row] = 0;
  for (std::size_t j = 0; j < block.layers().size(); ++j) {
    const LayerShape& layer = block.layers()[j];
    const std::span<double> deltas = block.deltas(j);
    for (std::size_t row = 0; row < block.rows(); ++row) {
      const double inputs = j == 0 ? squared_norm(block.sparse(row), layer.inputs)
                                   : 1 + squared_norm(row_of(block.inputs(j), row, layer.inputs));
      squares[row] += inputs * squared_norm(row_of(deltas, row, layer.outputs));
    }
  }
}

/// Segment 0 holds the products, segment 1 the dense entries.
bool fits(const ContributionLayout& layout, const FactorBlock& block) {
  const std::vector<Segment>& segments = layout.segments();
  const std::size_t expected = block.dense_size() == 0 ? 1 : 2;
  return segments.size() == expected && segments[0].size == block.parameters() &&
         (expected == 1 || segments[1].size == block.dense_size());
}

/// values (rows x width) = trunc(factor of the row * value).
void truncate(std::span<double> values, std::size_t width, const PerRow& factors) {
  if (width == 1) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::trunc(values[i] * factors[i]);
    return;
  }
  for (std::size_t start = 0, row = 0; start < values.size(); start += width, ++row) {
    for (std::size_t i = start; i < start + width; ++i) {
      values[i] = std::trunc(values[i] * factors[row]);
    }
  }
}

void clear_row(FactorBlock& block, std::size_t row) {
  block.sparse(row) = {};
  for (std::size_t j = 0; j < block.layers().size(); ++j) {
    if (j > 0) std::ranges::fill(row_of(block.inputs(j), row, block.layers()[j].inputs), 0.0);
    std::ranges::fill(row_of(block.deltas(j), row, block.layers()[j].outputs), 0.0);
  }
  std::ranges::fill(row_of(block.dense(), row, block.dense_size()), 0.0);
}

}  // namespace

PartialSum::PartialSum(const ContributionLayout& layout)
    : layout_(&layout), sum_(layout.size(), layout.lattice_bits()), integers_(layout.size()) {}

void PartialSum::add(std::span<const std::int64_t> lattice) {
  if (status_) status_ = sum_.add(lattice);
}

void PartialSum::add_clipped(FactorBlock& block) {
  if (!fits(*layout_, block)) {
    status_ = usage_error("a block has another shape than the mechanism; make both from one model");
    return;
  }
  // Entries grow by at most 2^bits a row, and are exact up to 2^53.
  const std::uint64_t most = std::uint64_t{1} << (53 - layout_->lattice_bits());
  if (rows_ + block.rows() > most) flush();
  clip(block);
  const std::span<double> sums(integers_);
  add_products(block, SparseNumbers::kOnLattice, sums.first(block.parameters()));
  const std::span<double> totals = sums.subspan(block.parameters());
  const std::span<const double> dense = block.dense();
  for (std::size_t start = 0; start < dense.size(); start += totals.size()) {
    for (std::size_t i = 0; i < totals.size(); ++i) totals[i] += dense[start + i];
  }
  rows_ += block.rows();
}

void PartialSum::clip(FactorBlock& block) const {
  constexpr double kOne = 1U << kInputBits;
  const std::span<double> dense = block.dense();
  const std::size_t width = block.dense_size();
  PerRow products;
  PerRow factors;
  PerRow dense_factors;
  product_norms(block, products);
  for (std::size_t row = 0; row < block.rows(); ++row) {
    const double rest = squared_norm(row_of(dense, row, width));
    if (!std::isfinite(products[row]) || !std::isfinite(rest)) {
      clear_row(block, row);
      factors[row] = dense_factors[row] = 0;
      continue;
    }
    factors[row] = layout_->clip_factor(0, products[row], 2 * block.parameters()) / kOne;
    dense_factors[row] = width == 0 ? 0 : layout_->clip_factor(1, rest, width);
  }
  for (std::size_t j = 0; j < block.layers().size(); ++j) {
    if (j > 0) {
      for (double& input : block.inputs(j)) input = std::trunc(input * kOne);
    }
    truncate(block.deltas(j), block.layers()[j].outputs, factors);
  }
  truncate(dense, std::max<std::size_t>(width, 1), dense_factors);
}

void PartialSum::flush() {
  if (status_) status_ = sum_.add_sum(integers_, rows_);
  std::ranges::fill(integers_, 0.0);
  rows_ = 0;
}

Result<LatticeSum> merge(std::span<PartialSum> parts) {
  for (PartialSum& part : parts) {
    part.flush();
    DPFERMI_TRY(part.status_);
    if (&part != parts.data()) DPFERMI_TRY(parts[0].sum_.merge(part.sum_));
  }
  return std::move(parts[0].sum_);
}

}  // namespace dpfermi
