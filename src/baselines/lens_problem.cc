#include "baselines/lens_problem.h"

#include <algorithm>
#include <cmath>

#include "objective/row_gradients.h"
#include "optimize/table_sums.h"
#include "optimize/training_defaults.h"

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

/// Multiplies `delta` so that its product with inputs of this norm is at most `longest` long;
/// returns the factor.
double cut_to(double longest, double input_norm, std::span<double> delta) {
  double square = 0;
  for (const double value : delta) square += value * value;
  const double norm = std::sqrt(square) * input_norm;
  const double kept = norm > longest ? longest / norm : 1;
  for (double& value : delta) value *= kept;
  return kept;
}

/// beta: what the gradients of groups count for in the norm. They are smoothed over many steps.
constexpr double kLensBeta = 0.3;

/// How much longer than theta's part alone the products may be.
double stretch() {
  return std::sqrt(1 + 2 * kLensBeta * kLensBeta);
}

}  // namespace

LensProblem::LensProblem(const Dataset& data, const TrainingPlan& plan, double sizes_weight)
    : data_(&data),
      network_(plan.model),
      units_(data),
      clip_norm_(plan.clip_norm),
      sizes_weight_(sizes_weight),
      smoothing_(std::min(1.0, defaults::kSmoothing / static_cast<double>(plan.steps))),
      lambda_(plan.lambda),
      least_share_(1 / static_cast<double>(plan.units)),
      width_((data.groups + 2) * network_.outputs()),
      statistics_(data.groups, theta_size()),
      terms_(statistics_.terms(0, 1)),
      block_({{data.x.columns(), width_}}, 2 * data.groups),
      outputs_(FactorBlock::kRows * network_.outputs()),
      f_(outputs_.size()),
      bias_(outputs_.size()),
      uneven_(outputs_.size()) {}

std::size_t LensProblem::entries() const {
  return block_.parameters() + block_.dense_size();
}

std::vector<Segment> LensProblem::segments() const {
  return {
      {block_.parameters(), clip_norm_ * stretch(), std::sqrt(1 - sizes_weight_ * sizes_weight_)},
      {block_.dense_size(), std::sqrt(2.0), sizes_weight_}};
}

double LensProblem::noise_scale() const {
  return stretch() / std::sqrt(1 - sizes_weight_ * sizes_weight_);
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
  const std::size_t out = network_.outputs();
  const std::size_t k = statistics_.groups();
  const double n = noisy.expected_units();
  LensStatistics::Released step{std::vector<double>(k), std::vector<double>(k),
                                std::vector<double>(k * theta_size()),
                                std::vector<double>(theta_size())};
  for (std::size_t i = 0; i < theta_size(); ++i) {
    const double* own = noisy.segment(0).data() + i / out * width_ + i % out;
    gradients.theta[i] += own[0] / n;
    for (std::size_t a = 0; a < k; ++a) {
      step.gradients[a * theta_size() + i] = own[(1 + a) * out] / (n * kLensBeta);
    }
    step.excess[i] = own[(1 + k) * out] / (n * kLensBeta);
  }
  for (std::size_t a = 0; a < k; ++a) {
    step.sizes[a] = noisy.segment(1)[2 * a] / n;
    step.closeness[a] = noisy.segment(1)[2 * a + 1] / n;
  }
  statistics_.add(step, std::max(smoothing_, 1 / static_cast<double>(steps_)));
  terms_ = statistics_.terms(lambda_, least_share_);
}

void LensProblem::write(const std::vector<std::uint16_t>& s, RowBlock block) {
  const std::size_t out = network_.outputs();
  const std::size_t size = block.rows.size() * out;
  data_->x.prefetch(block.ahead);
  Network::load(data_->x, block.rows, block_);
  network_.forward(terms_.bias, block_, std::span(bias_).first(size));
  network_.forward(terms_.unevenness, block_, std::span(uneven_).first(size));
  network_.forward(theta_, block_, std::span(outputs_).first(size));
  class_probabilities(std::span(outputs_).first(size), out, 1, std::span(f_).first(size));
  std::ranges::fill(block_.deltas(0), 0.0);
  for (std::size_t j = 0; j < block_.dense_size(); ++j) std::ranges::fill(block_.dense(j), 0.0);
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    write_row(s[block.rows[i]], block.rows[i], i);
  }
}

void LensProblem::write_row(std::size_t group, std::uint32_t row, std::size_t i) {
  const std::size_t out = network_.outputs();
  const double weight = units_.weight(data_->units[row]);
  const double longest = weight * clip_norm_;
  const double norm = input_norm(*data_, row);
  const std::span<const double> f = std::span(f_).subspan(i * out, out);
  const std::span<double> deltas = block_.deltas(0).subspan(i * width_, width_);
  const std::span<double> whole = deltas.first(out);
  const std::span<double> clipped = deltas.subspan((1 + group) * out, out);
  const std::span<double> excess = deltas.last(out);

  loss_gradient(f, out, {&data_->y[row], 1}, {&weight, 1}, whole);
  std::ranges::copy(whole, clipped.begin());
  const double kept = cut_to(longest, norm, clipped);
  for (std::size_t j = 0; j < out; ++j) excess[j] = whole[j] - clipped[j];
  cut_to(longest, norm, excess);
  for (double& value : clipped) value *= kLensBeta;
  for (double& value : excess) value *= kLensBeta;

  add_hessian(f, std::span(bias_).subspan(i * out, out), weight * terms_.gradient_weights[group],
              whole);
  add_hessian(f, std::span(uneven_).subspan(i * out, out), weight * (1 - kept), whole);
  add_closeness_gradient(f, weight * terms_.closeness_weights[group], whole);
  cut_to(longest, norm, whole);
  block_.dense(2 * group)[i] = weight;
  block_.dense(2 * group + 1)[i] = weight * closeness(f);
}

}  // namespace dpfermi
