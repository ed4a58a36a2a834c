#include "baselines/lens_problem.h"

#include <algorithm>
#include <cmath>

#include "dpfermi/objective/row_gradients.h"
#include "dpfermi/optimize/defaults.h"
#include "optimize/table_sums.h"

namespace dpfermi {
namespace {

/// sum += weight d/d(outputs) of <direction, F> times F's own Jacobian: what H_i times a direction
/// is at the outputs, the direction being given by its outputs.
void add_hessian(std::span<const double> f, std::span<const double> direction, double weight,
                 std::span<double> sum) {
  if (f.size() == 1) {
    sum[0] += weight * f[0] * (1 - f[0]) * direction[0];
    return;
  }
  double mean = 0;
  for (std::size_t j = 0; j < f.size(); ++j) mean += f[j] * direction[j];
  for (std::size_t j = 0; j < f.size(); ++j) sum[j] += weight * f[j] * (direction[j] - mean);
}

/// 1 - sum F^2.
double closeness(std::span<const double> f) {
  if (f.size() == 1) return 2 * f[0] * (1 - f[0]);
  double squares = 0;
  for (const double p : f) squares += p * p;
  return 1 - squares;
}

/// sum += weight d/d(outputs) (1 - sum F^2).
void add_closeness_gradient(std::span<const double> f, double weight, std::span<double> sum) {
  if (f.size() == 1) {
    sum[0] += weight * 2 * (1 - 2 * f[0]) * f[0] * (1 - f[0]);
    return;
  }
  std::vector<double> direction(f.size());
  for (std::size_t j = 0; j < f.size(); ++j) direction[j] = -2 * f[j];
  add_hessian(f, direction, weight, sum);
}

/// |[x, 1]|.
double input_norm(const Dataset& data, std::uint32_t row) {
  const HybridMatrix::Row x = data.x.row(row);
  double square = 1;
  for (const float number : x.numbers) square += double{number} * number;
  for (const std::uint16_t column : x.ones) square += column < data.x.columns() ? 1 : 0;
  return std::sqrt(square);
}

}  // namespace

LensProblem::LensProblem(const Dataset& data, const TrainingPlan& plan, double statistics_weight)
    : data_(&data),
      network_(plan.model),
      units_(data),
      clip_norm_(plan.clip_norm),
      weight_(statistics_weight),
      smoothing_(std::min(1.0, defaults::kSmoothing / static_cast<double>(plan.steps))),
      lambda_(plan.lambda),
      least_share_(1 / static_cast<double>(plan.units)),
      statistics_(data.groups, theta_size(), plan.clip_norm),
      terms_(statistics_.terms(0, 1)),
      block_(network_.layers(), statistics_.size()),
      outputs_(FactorBlock::kRows * network_.outputs()),
      f_(outputs_.size()),
      bias_(outputs_.size()),
      uneven_(outputs_.size()) {}

std::vector<Segment> LensProblem::segments() const {
  return {{theta_size(), clip_norm_, std::sqrt(1 - weight_ * weight_)},
          {statistics_.size(), LensStatistics::bound(), weight_}};
}

void LensProblem::begin_step(std::span<const double> theta, std::span<const double>) {
  theta_.assign(theta.begin(), theta.end());
  ++steps_;
}

Result<ClippedSum> LensProblem::clipped_sum(const Privatizer& privatizer, Batch batch, Workers*) {
  const auto fill = [&](const std::vector<std::uint16_t>& s, RowBlock block,
                        unsigned) -> FactorBlock& {
    write(s, block);
    return block_;
  };
  return clipped_rows(*data_, units_, privatizer, std::move(batch), nullptr, fill);
}

void LensProblem::add_released(const NoisySum& noisy, Gradients& gradients) {
  add(noisy.segment(0), gradients.theta, 1 / noisy.expected_units());
  statistics_.add(noisy.segment(1), noisy.expected_units(),
                  std::max(smoothing_, 1 / static_cast<double>(steps_)));
  terms_ = statistics_.terms(lambda_, least_share_);
}

void LensProblem::write(const std::vector<std::uint16_t>& s, RowBlock block) {
  const std::size_t width = network_.outputs();
  const std::size_t size = block.rows.size() * width;
  Network::load(data_->x, block.rows, block_);
  // The model is linear: a direction of theta has outputs like a model.
  network_.forward(terms_.bias, block_, std::span(bias_).first(size));
  network_.forward(terms_.unevenness, block_, std::span(uneven_).first(size));
  network_.forward(theta_, block_, std::span(outputs_).first(size));
  class_probabilities(std::span(outputs_).first(size), width, 1, std::span(f_).first(size));
  std::ranges::fill(block_.dense(), 0.0);
  for (std::size_t i = 0; i < block.rows.size(); ++i) write_row(s[block.rows[i]], block.rows[i], i);
}

void LensProblem::write_row(std::size_t group, std::uint32_t row, std::size_t i) {
  const std::size_t width = network_.outputs();
  const double weight = units_.weight(data_->units[row]);
  const std::span<const double> f = std::span(f_).subspan(i * width, width);
  const std::span<double> delta = block_.deltas(0).subspan(i * width, width);
  loss_gradient(f, width, {&data_->y[row], 1}, {&weight, 1}, delta);
  double square = 0;
  for (const double value : delta) square += value * value;
  const double norm = std::sqrt(square) * input_norm(*data_, row) / weight;
  const double kept = norm > clip_norm_ ? clip_norm_ / norm : 1;

  const std::span<double> share =
      block_.dense().subspan(i * statistics_.size(), statistics_.size());
  share[statistics_.sizes_at(group)] = weight;
  share[statistics_.sizes_at(group) + 1] = weight * closeness(f);
  add_outer(row, delta, kept / clip_norm_, share.subspan(statistics_.gradient_at(group)));
  const double cut = std::min((1 - kept) / clip_norm_, norm > 0 ? 1 / norm : 0);
  if (cut > 0) add_outer(row, delta, cut, share.subspan(statistics_.excess_at()));

  const std::span<const double> bias = std::span(bias_).subspan(i * width, width);
  const std::span<const double> uneven = std::span(uneven_).subspan(i * width, width);
  add_hessian(f, bias, weight * terms_.gradient_weights[group], delta);
  add_hessian(f, uneven, weight * (1 - kept), delta);
  add_closeness_gradient(f, weight * terms_.closeness_weights[group], delta);
}

/// out (inputs x width) += factor [x, 1] delta^T.
void LensProblem::add_outer(std::uint32_t row, std::span<const double> delta, double factor,
                            std::span<double> out) const {
  const std::size_t width = delta.size();
  const auto add_column = [&](std::size_t column, double value) {
    for (std::size_t j = 0; j < width; ++j) out[column * width + j] += value * factor * delta[j];
  };
  const HybridMatrix::Row x = data_->x.row(row);
  for (std::size_t j = 0; j < x.numbers.size(); ++j) add_column(j, x.numbers[j]);
  for (const std::uint16_t column : x.ones) {
    if (column < data_->x.columns()) add_column(column, 1);
  }
  add_column(data_->x.columns(), 1);
}

}  // namespace dpfermi
