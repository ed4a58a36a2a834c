#include "optimize/paper_problem.h"

#include <algorithm>
#include <cmath>

#include "objective/row_gradients.h"
#include "objective/smallest_ball.h"
#include "optimize/table_sums.h"

namespace dpfermi {
namespace {

std::vector<double> inverse_roots(const GroupMarginals& marginals) {
  std::vector<double> roots;
  for (const double p : marginals.groups) roots.push_back(p > 0 ? 1 / std::sqrt(p) : 0);
  return roots;
}

/// The smallest ball around {e_r / sqrt(p_r)} of one condition.
Ball simplex_ball(std::span<const double> roots) {
  const std::size_t k = roots.size();
  std::vector<double> points(k * k);
  for (std::size_t r = 0; r < k; ++r) points[r * k + r] = roots[r];
  return smallest_ball(points, k);
}

/// v (l) as a functional of the probabilities, which sum to one: v_1 - v_0 for two classes,
/// otherwise v made orthogonal to the ones.
void write_functional(std::span<const double> v, std::span<double> out) {
  if (out.size() == 1) {
    out[0] = v[1] - v[0];
    return;
  }
  double mean = 0;
  for (const double entry : v) mean += entry / static_cast<double>(v.size());
  for (std::size_t j = 0; j < v.size(); ++j) out[j] = v[j] - mean;
}

}  // namespace

PaperBounds paper_bounds(const FairnessSetting& setting, const GroupMarginals& marginals) {
  const std::vector<double> roots = inverse_roots(marginals);
  PaperBounds bounds;
  for (const double p : marginals.groups) {
    if (p > 0) bounds.rho = std::min(bounds.rho, p);
  }
  double radius = 0;
  for (std::size_t c = 0; c < setting.conditions(); ++c) {
    radius = std::max(
        radius, simplex_ball(std::span(roots).subspan(c * setting.groups, setting.groups)).radius);
  }
  bounds.w = 2 * radius;
  bounds.theta = 2 * std::min(radius, 1 / std::sqrt(2 * bounds.rho));
  return bounds;
}

PaperProblem::PaperProblem(const Dataset& data, Network network, FairnessSetting setting,
                           const GroupMarginals& marginals, PaperOptions options,
                           std::size_t workers)
    : data_(&data),
      network_(std::move(network)),
      setting_(setting),
      options_(options),
      condition_by_label_(setting_.condition_by_label()),
      unit_rows_(data),
      inverse_roots_(inverse_roots(marginals)),
      common_((setting_.conditions() + 1) * setting_.width()),
      by_group_((setting_.conditions() * setting_.groups + 1) * setting_.width()) {
  const std::size_t k = setting_.groups;
  for (std::size_t c = 0; c < setting_.conditions(); ++c) {
    const Ball ball = simplex_ball(std::span(inverse_roots_).subspan(c * k, k));
    centres_.insert(centres_.end(), ball.centre.begin(), ball.centre.end());
  }
  constexpr std::size_t kRows = FactorBlock::kRows;
  const std::size_t width = network_.outputs();
  const Scratch empty{FactorBlock(network_.layers(), w_size()), std::vector<double>(kRows * width),
                      std::vector<double>(kRows * width),       std::vector<double>(kRows, 1.0),
                      std::vector<std::uint16_t>(kRows),        std::vector<std::uint32_t>(kRows)};
  scratch_.assign(workers, empty);
}

std::vector<Segment> PaperProblem::segments() const {
  return {{theta_size(), options_.theta_bound, options_.theta_weight},
          {w_size(), options_.w_bound, options_.w_weight}};
}

void PaperProblem::begin_step(std::span<const double> theta, std::span<const double> w) {
  theta_.assign(theta.begin(), theta.end());
  w_.assign(w.begin(), w.end());
  const std::size_t k = setting_.groups;
  const std::size_t l = setting_.classes;
  const std::size_t width = setting_.width();
  for (std::size_t c = 0; c < setting_.conditions(); ++c) {
    const std::span<double> points = std::span(by_group_).subspan(c * k * width, k * width);
    std::vector<double> squares(l);
    for (std::size_t r = 0; r < k; ++r) {
      std::vector<double> b(l);
      for (std::size_t j = 0; j < l; ++j) {
        const double entry = w_[(c * k + r) * l + j];
        squares[j] -= entry * entry;
        b[j] = 2 * entry * inverse_roots_[c * k + r];
      }
      write_functional(b, points.subspan(r * width, width));
    }
    const Ball ball = smallest_ball(points, width);
    for (std::size_t i = 0; i < points.size(); ++i) points[i] -= ball.centre[i % width];
    const std::span<double> common = std::span(common_).subspan(c * width, width);
    write_functional(squares, common);
    add(ball.centre, common);
  }
}

void PaperProblem::load(RowBlock block, Scratch& scratch) const {
  const std::span<const std::uint32_t> rows = block.rows;
  data_->x.prefetch(block.ahead);
  Network::load(data_->x, rows, scratch.block);
  for (std::size_t i = 0; i < rows.size(); ++i) scratch.y[i] = data_->y[rows[i]];
  if (!unit_rows_.single()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      scratch.weights[i] = unit_rows_.weight(data_->units[rows[i]]);
    }
  }
  const std::size_t size = rows.size() * network_.outputs();
  const std::span<double> outputs = std::span(scratch.outputs).first(size);
  network_.forward(theta_, scratch.block, outputs);
  class_probabilities(outputs, network_.outputs(), 1, std::span(scratch.f).first(size));
}

void PaperProblem::add_public(std::span<const std::uint32_t> units, Gradients& gradients,
                              Workers* workers) {
  std::vector<std::uint32_t> storage;
  const PublicSums empty{std::vector<double>(theta_size()),
                         std::vector<double>(setting_.conditions() * setting_.classes)};
  std::vector<PublicSums> sums;
  sum_in_tasks(unit_rows_.of_all(units, storage), empty, workers, sums,
               [&](Rows rows, Rows after, unsigned worker, PublicSums& own) {
                 in_blocks(rows, after,
                           [&](RowBlock block) { add_public_rows(block, scratch_[worker], own); });
               });
  for (const PublicSums& part : sums) {
    add(part.theta, gradients.theta, 1 / options_.batch);
    add_public_w(part.f, gradients.w);
  }
}

void PaperProblem::add_public_rows(RowBlock block, Scratch& scratch, PublicSums& sums) const {
  load(block, scratch);
  const std::span<const std::uint32_t> rows = block.rows;
  const std::size_t width = network_.outputs();
  const std::size_t l = setting_.classes;
  const std::span<const double> f = std::span(scratch.f).first(rows.size() * width);
  const std::span<const double> weights = std::span(scratch.weights).first(rows.size());
  const std::span<double> deltas = scratch.block.deltas(network_.layers().size() - 1);
  loss_gradient(f, width, std::span(scratch.y).first(rows.size()), weights, deltas);
  if (setting_.conditions() > 0) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::uint32_t c = condition_by_label_[scratch.y[i]];
      scratch.which[i] = c;
      for (std::size_t j = 0; j < l; ++j) {
        sums.f[c * l + j] += weights[i] * class_probability(f.subspan(i * width, width), j);
      }
    }
    add_functional_gradient(f, width, 1, options_.lambda, common_,
                            std::span(scratch.which).first(rows.size()), weights, deltas);
  }
  network_.backward(theta_, scratch.block);
  add_products(scratch.block, 1, sums.theta);
}

/// -2 W diag(F) and the centres that the secret part left out.
void PaperProblem::add_public_w(std::span<const double> f_sums, std::span<double> gradient) const {
  const std::size_t l = setting_.classes;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const std::size_t cell = i / l;
    const double f_sum = f_sums[cell / setting_.groups * l + i % l];
    gradient[i] += options_.lambda * 2 * (centres_[cell] - w_[i]) * f_sum / options_.batch;
  }
}

void PaperProblem::write_w(std::size_t c, std::size_t group, std::span<const double> f,
                           double weight, std::span<double> out) const {
  const std::size_t k = setting_.groups;
  const std::size_t l = setting_.classes;
  std::ranges::fill(out, 0.0);
  for (std::size_t r = 0; r < k; ++r) {
    const std::size_t cell = c * k + r;
    const double row = 2 * ((r == group ? inverse_roots_[cell] : 0) - centres_[cell]);
    for (std::size_t j = 0; j < l; ++j) out[cell * l + j] = weight * row * class_probability(f, j);
  }
}

void PaperProblem::secret_rows(const std::vector<std::uint16_t>& s, RowBlock block,
                               Scratch& scratch) const {
  load(block, scratch);
  const std::span<const std::uint32_t> rows = block.rows;
  const std::size_t width = network_.outputs();
  const std::span<const double> f = std::span(scratch.f).first(rows.size() * width);
  const std::span<const double> weights = std::span(scratch.weights).first(rows.size());
  std::vector<double> own(w_size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint32_t c = condition_by_label_[scratch.y[i]];
    const std::uint16_t group = s[rows[i]];
    scratch.which[i] = static_cast<std::uint32_t>(c * setting_.groups + group);
    write_w(c, group, f.subspan(i * width, width), weights[i], own);
    for (std::size_t j = 0; j < own.size(); ++j) scratch.block.dense(j)[i] = own[j];
  }
  const std::span<double> deltas = scratch.block.deltas(network_.layers().size() - 1);
  std::ranges::fill(deltas, 0.0);
  add_functional_gradient(f, width, 1, 1, by_group_, std::span(scratch.which).first(rows.size()),
                          weights, deltas);
  network_.backward(theta_, scratch.block);
}

Result<ClippedSum> PaperProblem::clipped_sum(const Privatizer& privatizer, Batch batch,
                                             Workers* workers) {
  using Groups = std::vector<std::uint16_t>;
  const auto fill = [&](const Groups& s, RowBlock block, unsigned worker) -> FactorBlock& {
    secret_rows(s, block, scratch_[worker]);
    return scratch_[worker].block;
  };
  return clipped_rows(*data_, unit_rows_, privatizer, std::move(batch), workers, fill);
}

void PaperProblem::add_released(const NoisySum& noisy, Gradients& gradients) {
  add(noisy.segment(0), gradients.theta, options_.lambda / options_.batch);
  add(noisy.segment(1), gradients.w, options_.lambda / options_.batch);
}

void PaperProblem::project(std::span<double> w) const {
  const std::size_t size = setting_.groups * setting_.classes;
  for (std::size_t start = 0; start < w.size(); start += size) {
    const std::span<double> block = w.subspan(start, size);
    double square = 0;
    for (const double entry : block) square += entry * entry;
    const double norm = std::sqrt(square);
    if (norm <= options_.w_radius) continue;
    for (double& entry : block) entry *= options_.w_radius / norm;
  }
}

}  // namespace dpfermi
