#include "baselines/taylor_sum.h"

#include <algorithm>
#include <cmath>

#include "model/network.h"
#include "optimize/table_sums.h"

namespace dpfermi {
namespace {

constexpr double kLinearScale = 2;  // |1/2 - y| is 1/2

}  // namespace

TaylorSum::TaylorSum(const Dataset& data, double norm)
    : data_(&data),
      units_(data),
      norm_(norm),
      quadratic_scale_(8 / norm),
      inputs_(data.x.columns() + 1),
      width_(1 + inputs_ + data.groups),
      block_({{data.x.columns(), width_}}) {}

Segment TaylorSum::segment() const {
  return {inputs_ * width_, norm_ * std::sqrt(3.0)};
}

Result<ClippedSum> TaylorSum::clipped_sum(const Privatizer& privatizer) {
  const auto fill = [&](const std::vector<std::uint16_t>& s, RowBlock rows,
                        unsigned) -> FactorBlock& {
    write(s, rows);
    return block_;
  };
  return clipped_rows(*data_, units_, privatizer,
                      Batch::everyone(static_cast<std::uint32_t>(data_->unit_count)), nullptr,
                      fill);
}

TaylorLoss TaylorSum::loss(const NoisySum& noisy) const {
  TaylorLoss loss{inputs_, std::vector<double>(inputs_), std::vector<double>(inputs_ * inputs_),
                  std::vector<double>(data_->groups * inputs_)};
  const std::span<const double> sums = noisy.segment(0);
  const double n = noisy.expected_units();
  for (std::size_t i = 0; i < inputs_; ++i) {
    const double* own = sums.data() + i * width_;
    loss.linear[i] = own[0] / (n * kLinearScale);
    for (std::size_t j = 0; j < inputs_; ++j) {
      loss.quadratic[i * inputs_ + j] = own[1 + j] / (n * quadratic_scale_);
    }
    for (std::size_t r = 0; r < data_->groups; ++r) {
      loss.groups[r * inputs_ + i] = own[1 + inputs_ + r] / n;
    }
  }
  // The two halves of the form are averaged.
  loss.quadratic_noise = noisy.noise_stddev(0) / (n * quadratic_scale_ * std::sqrt(2.0));
  return loss;
}

void TaylorSum::write(const std::vector<std::uint16_t>& s, RowBlock rows) {
  data_->x.prefetch(rows.ahead);
  Network::load(data_->x, rows.rows, block_);
  const std::span<double> deltas = block_.deltas(0);
  std::ranges::fill(deltas, 0.0);
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const std::uint32_t row = rows.rows[i];
    const double weight = units_.weight(data_->units[row]);
    double* own = deltas.data() + i * width_;
    own[0] = weight * kLinearScale * (0.5 - data_->y[row]);
    const double eighth = weight * quadratic_scale_ / 8;
    const HybridMatrix::Row x = data_->x.row(row);
    for (std::size_t j = 0; j < x.numbers.size(); ++j) own[1 + j] = eighth * x.numbers[j];
    for (const std::uint16_t column : x.ones) {
      if (column < data_->x.columns()) own[1 + column] = eighth;
    }
    own[inputs_] = eighth;
    own[1 + inputs_ + s[row]] = weight;
  }
}

}  // namespace dpfermi
