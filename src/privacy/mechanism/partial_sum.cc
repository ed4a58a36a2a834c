#include "privacy/mechanism/partial_sum.h"

#include <algorithm>
#include <cmath>

namespace dpfermi {
namespace {

double squared_norm(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return sum;
}

/// Of [numbers, ones, 1].
double squared_norm(const SparseRow& row, std::size_t columns) {
  double sum = 1;
  for (const float number : row.numbers) sum += double{number} * number;
  for (const std::uint16_t column : row.ones) sum += column < columns ? 1 : 0;
  return sum;
}

std::span<double> row_of(std::span<double> values, std::size_t row, std::size_t width) {
  return values.subspan(row * width, width);
}

/// The squared norm of the products of one row, and how many operations it took at most.
double product_norm(FactorBlock& block, std::size_t row) {
  double sum = 0;
  for (std::size_t j = 0; j < block.layers().size(); ++j) {
    const LayerShape& layer = block.layers()[j];
    const double inputs = j == 0 ? squared_norm(block.sparse(row), layer.inputs)
                                 : 1 + squared_norm(row_of(block.inputs(j), row, layer.inputs));
    sum += inputs * squared_norm(row_of(block.deltas(j), row, layer.outputs));
  }
  return sum;
}

/// Segment 0 holds the products, segment 1 the dense entries.
bool fits(const ContributionLayout& layout, const FactorBlock& block) {
  const std::vector<Segment>& segments = layout.segments();
  const std::size_t expected = block.dense_size() == 0 ? 1 : 2;
  return segments.size() == expected && segments[0].size == block.parameters() &&
         (expected == 1 || segments[1].size == block.dense_size());
}

void truncate(std::span<double> values, double factor) {
  for (double& value : values) value = std::trunc(value * factor);
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
  for (std::size_t row = 0; row < block.rows(); ++row) clip_row(block, row);
  const std::span<double> sums(integers_);
  add_products(block, SparseNumbers::kOnLattice, sums.first(block.parameters()));
  const std::span<double> dense = sums.subspan(block.parameters());
  for (std::size_t row = 0; row < block.rows(); ++row) {
    const std::span<const double> values = row_of(block.dense(), row, dense.size());
    for (std::size_t i = 0; i < dense.size(); ++i) dense[i] += values[i];
  }
  rows_ += block.rows();
}

void PartialSum::clip_row(FactorBlock& block, std::size_t row) const {
  const double products = product_norm(block, row);
  const std::span<double> dense = row_of(block.dense(), row, block.dense_size());
  const double rest = squared_norm(dense);
  if (!std::isfinite(products) || !std::isfinite(rest)) return clear_row(block, row);
  const double factor =
      std::ldexp(layout_->clip_factor(0, products, 2 * block.parameters()), -kInputBits);
  for (std::size_t j = 0; j < block.layers().size(); ++j) {
    const LayerShape& layer = block.layers()[j];
    if (j > 0) truncate(row_of(block.inputs(j), row, layer.inputs), 1U << kInputBits);
    truncate(row_of(block.deltas(j), row, layer.outputs), factor);
  }
  if (!dense.empty()) truncate(dense, layout_->clip_factor(1, rest, dense.size()));
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
