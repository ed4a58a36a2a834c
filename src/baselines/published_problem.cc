#include "baselines/published_problem.h"

#include <algorithm>
#include <cmath>

#include "objective/row_gradients.h"

namespace dpfermi {

PublishedProblem::PublishedProblem(const Dataset& data, FairnessNotion notion, std::uint16_t group,
                                   double lambda, double w_radius, const ExactRead& read)
    : data_(&data),
      network_({data.x.columns(), data.classes, {}}),
      group_(group),
      lambda_(lambda),
      w_radius_(w_radius),
      inverse_roots_(condition_count(notion, data.classes)),
      block_(network_.layers()),
      outputs_(FactorBlock::kRows),
      f_(FactorBlock::kRows) {
  const std::vector<std::uint16_t>& s = read.of(data.s);
  std::vector<double> rows(w_size()), members(w_size());
  for (std::uint32_t row = 0; row < data.rows(); ++row) {
    rows[condition(row)] += 1;
    members[condition(row)] += s[row] == group_ ? 1 : 0;
  }
  for (std::size_t c = 0; c < w_size(); ++c) {
    if (members[c] > 0) inverse_roots_[c] = std::sqrt(rows[c] / members[c]);
  }
}

void PublishedProblem::begin_step(std::span<const double> theta, std::span<const double> w) {
  theta_.assign(theta.begin(), theta.end());
  w_.assign(w.begin(), w.end());
}

Status PublishedProblem::add_exact(const ExactRead& read, std::span<const std::uint32_t> rows,
                                   Gradients& gradients, Workers*) {
  const std::vector<std::uint16_t>& s = read.of(data_->s);
  std::vector<double> weights(w_size());
  for (const std::uint32_t row : rows) weights[condition(row)] += 1;
  for (double& weight : weights) weight = weight > 0 ? lambda_ / weight : 0;
  const double loss_weight = 1 / static_cast<double>(rows.size());
  while (!rows.empty()) {
    const std::size_t size = std::min(rows.size(), FactorBlock::kRows);
    add_rows(s, rows.first(size), loss_weight, weights, gradients);
    rows = rows.subspan(size);
  }
  return {};
}

void PublishedProblem::add_rows(const std::vector<std::uint16_t>& s,
                                std::span<const std::uint32_t> rows, double loss_weight,
                                std::span<const double> penalty_weights, Gradients& gradients) {
  const std::span<double> f = std::span(f_).first(rows.size());
  const std::span<double> outputs = std::span(outputs_).first(rows.size());
  Network::load(data_->x, rows, block_);
  network_.forward(theta_, block_, outputs);
  class_probabilities(outputs, 1, 1, f);
  const std::span<double> deltas = block_.deltas(0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t c = condition(rows[i]);
    const double seen = s[rows[i]] == group_ ? 2 * inverse_roots_[c] : 0;
    deltas[i] = loss_weight * (f[i] - data_->y[rows[i]]) +
                penalty_weights[c] * f[i] * (1 - f[i]) * w_[c] * (seen - w_[c]);
    gradients.w[c] += penalty_weights[c] * f[i] * (seen - 2 * w_[c]);
  }
  network_.backward(theta_, block_);
  add_products(block_, 1, gradients.theta);
}

void PublishedProblem::project(std::span<double> w) const {
  for (double& entry : w) entry = std::clamp(entry, -w_radius_, w_radius_);
}

Result<ClippedSum> PublishedProblem::clipped_sum(const Privatizer&, const Batch&, Workers*) const {
  return usage_error("the published objective has no private form; use dp-fermi");
}

}  // namespace dpfermi
