#include "privacy/mechanism/partial_sum.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/fixed_count.h"
#include "core/mutant.h"

namespace dpfermi {
namespace {

/// What a one, and the input of a bias, is on the lattice.
constexpr double kOne = 1U << 18;

/// One number per row of a block.
using PerRow = std::array<double, FactorBlock::kRows>;

std::span<double> row_of(std::span<double> values, std::size_t row, std::size_t width) {
  return values.subspan(row * width, width);
}

/// Of [numbers, ones, 1], for every row.
void sparse_norms(const FactorBlock& block, PerRow& squares) {
  const ColumnCodes& codes = *block.column_codes();
  const auto known = static_cast<double>(1 + block.ones_per_row().value_or(0));
  std::fill_n(squares.begin(), block.rows(), known);
  with_fixed_count(block.ones_per_row() ? 0 : block.code_count(), [&](auto count) {
    if (count == 0) return;
    for (std::size_t row = 0; row < block.rows(); ++row) {
      std::uint32_t present = 1;
      for (std::size_t c = 0; c < count; ++c) present += codes.ones(block.codes(c)[row]);
      squares[row] = present;
    }
  });
  with_fixed_count(block.number_count(), [&](auto count) {
    for (std::size_t row = 0; row < block.rows(); ++row) {
      double sum = squares[row];
      for (std::size_t j = 0; j < count; ++j) sum += block.numbers(j)[row] * block.numbers(j)[row];
      squares[row] = sum;
    }
  });
}

/// The squared norm of every row of `values` (rows x width).
void row_norms(std::span<const double> values, std::size_t width, PerRow& squares) {
  with_fixed_count(width, [&](auto count) {
    const double* row = values.data();
    for (std::size_t i = 0; i * count < values.size(); ++i, row += count) {
      double sum = 0;
      for (std::size_t j = 0; j < count; ++j) sum += row[j] * row[j];
      squares[i] = sum;
    }
  });
}

/// The squared norm of every row's dense entries.
void dense_norms(const FactorBlock& block, PerRow& squares) {
  for (std::size_t j = 0; j < block.dense_size(); ++j) {
    const std::span<const double> entry = block.dense(j);
    for (std::size_t row = 0; row < entry.size(); ++row) squares[row] += entry[row] * entry[row];
  }
}

/// The squared norms of the products of every row.
void product_norms(const FactorBlock& block, PerRow& squares) {
  PerRow inputs;
  PerRow outputs;
  sparse_norms(block, squares);
  row_norms(block.deltas(0), block.layers()[0].outputs, outputs);
  for (std::size_t row = 0; row < block.rows(); ++row) squares[row] *= outputs[row];
  for (std::size_t j = 1; j < block.layers().size(); ++j) {
    row_norms(block.inputs(j), block.layers()[j].inputs, inputs);
    row_norms(block.deltas(j), block.layers()[j].outputs, outputs);
    for (std::size_t row = 0; row < block.rows(); ++row) {
      squares[row] += (1 + inputs[row]) * outputs[row];
    }
  }
}

/// The factor of every row. Without a branch a row: which rows are clipped cannot be foreseen.
void clip_factors(ContributionLayout::ClipRule rule, std::size_t rows, const PerRow& squares,
                  PerRow& factors) {
  std::uint64_t outside = 0;
  for (std::size_t row = 0; row < rows; ++row) outside += squares[row] > rule.inside() ? 1 : 0;
  if (outside == 0) {
    factors.fill(rule.factor(0));
  } else {
    for (std::size_t row = 0; row < rows; ++row) factors[row] = rule.factor(squares[row]);
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
  with_fixed_count(width, [&](auto count) {
    double* row = values.data();
    for (std::size_t i = 0; i * count < values.size(); ++i, row += count) {
      const double factor = factors[i];
      for (std::size_t j = 0; j < count; ++j) row[j] = std::trunc(row[j] * factor);
    }
  });
}

void clear_row(FactorBlock& block, std::size_t row) {
  for (std::size_t j = 0; j < block.number_count(); ++j) block.numbers(j)[row] = 0;
  for (std::size_t j = 0; j < block.layers().size(); ++j) {
    if (j > 0) std::ranges::fill(row_of(block.inputs(j), row, block.layers()[j].inputs), 0.0);
    std::ranges::fill(row_of(block.deltas(j), row, block.layers()[j].outputs), 0.0);
  }
  for (std::size_t j = 0; j < block.dense_size(); ++j) block.dense(j)[row] = 0;
}

/// Clears the rows whose norm is infinite or not a number.
void clear_unbounded(FactorBlock& block, PerRow& squares, PerRow& dense_squares) {
  const auto bounded = [&](std::size_t row) {
    return squares[row] + dense_squares[row] < std::numeric_limits<double>::infinity();
  };
  std::uint64_t count = 0;
  for (std::size_t row = 0; row < block.rows(); ++row) count += bounded(row) ? 1 : 0;
  if (count == block.rows()) return;
  for (std::size_t row = 0; row < block.rows(); ++row) {
    if (bounded(row)) continue;
    clear_row(block, row);
    squares[row] = dense_squares[row] = 0;
  }
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
  products_.add(block, kOne);
  add_dense(block, std::span(integers_).subspan(block.parameters()));
  rows_ += block.rows();
}

void PartialSum::clip(FactorBlock& block) const {
  const std::size_t width = block.dense_size();
  PerRow squares;
  PerRow dense_squares{};
  PerRow factors;
  product_norms(block, squares);
  dense_norms(block, dense_squares);
  if (!mutant(Mutant::kNanSurvivesClip)) clear_unbounded(block, squares, dense_squares);
  if (mutant(Mutant::kClipAfterAveraging))
    std::ranges::for_each(squares, [](double& square) { square /= 144; });
  clip_factors({*layout_, 0, 2 * block.parameters()}, block.rows(), squares, factors);
  for (double& factor : std::span(factors).first(block.rows())) factor *= 1 / kOne;
  if (mutant(Mutant::kLambdaAfterClip))
    std::ranges::for_each(factors, [](double& factor) { factor *= 2.5; });
  for (std::size_t j = 0; j < block.number_count(); ++j) {
    double* values = block.numbers(j);
    for (std::size_t row = 0; row < block.rows(); ++row)
      values[row] = std::trunc(values[row] * kOne);
  }
  for (std::size_t j = 0; j < block.layers().size(); ++j) {
    if (j > 0) {
      for (double& input : block.inputs(j)) input = std::trunc(input * kOne);
    }
    truncate(block.deltas(j), block.layers()[j].outputs, factors);
  }
  if (width == 0) return;
  clip_factors({*layout_, 1, width}, block.rows(), dense_squares, factors);
  for (std::size_t j = 0; j < width; ++j) truncate(block.dense(j), 1, factors);
}

void PartialSum::flush() {
  products_.move_to(std::span(integers_).first(layout_->segments()[0].size));
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
