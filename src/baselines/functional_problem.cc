#include "baselines/functional_problem.h"

#include <algorithm>
#include <cmath>

#include "objective/row_gradients.h"
#include "objective/smallest_ball.h"
#include "optimize/table_sums.h"

namespace dpfermi {

FunctionalProblem::FunctionalProblem(const Dataset& data, Network network,
                                     const FunctionalOptions& options, std::size_t workers)
    : data_(&data),
      network_(std::move(network)),
      options_(options),
      public_features_(features_are_public(options.adjacency)),
      condition_by_label_(options.setting.condition_by_label()),
      unit_rows_(data),
      common_(data.classes * network_.outputs()),
      by_group_(data.classes * options.setting.groups * network_.outputs()),
      scale_(public_features_ ? 0 : 1),
      histogram_(has_histogram() ? histogram_size() : 0) {
  constexpr std::size_t kRows = FactorBlock::kRows;
  const std::size_t size = kRows * network_.outputs();
  const Scratch empty{.block = FactorBlock(network_.layers(), histogram_.size()),
                      .outputs = std::vector<double>(size),
                      .f = std::vector<double>(size),
                      .f_sharp = std::vector<double>(size),
                      .weights = std::vector<double>(kRows, 1.0),
                      .y = std::vector<std::uint16_t>(kRows),
                      .which = std::vector<std::uint32_t>(kRows)};
  scratch_.assign(workers, empty);
}

void FunctionalProblem::set_functionals(std::span<const double> v) {
  std::ranges::copy(v, by_group_.begin());
  if (!public_features_) return;
  const std::size_t width = network_.outputs();
  const std::size_t label_size = options_.setting.groups * width;
  scale_ = 0;
  for (std::size_t y = 0; y < data_->classes; ++y) {
    const Ball ball = smallest_ball(v.subspan(y * label_size, label_size), width);
    std::ranges::copy(ball.centre, common_.begin() + static_cast<std::ptrdiff_t>(y * width));
    scale_ = std::max(scale_, ball.radius);
  }
  for (std::size_t i = 0; i < by_group_.size(); ++i) {
    const double centre = common_[i / label_size * width + i % width];
    by_group_[i] = scale_ > 0 ? (by_group_[i] - centre) / scale_ : 0;
  }
}

std::vector<Segment> FunctionalProblem::segments() const {
  const double b = options_.histogram_weight;
  if (!has_histogram()) return {{theta_size(), options_.clip_norm}};
  return {{theta_size(), options_.clip_norm, std::sqrt(1 - b * b)}, {histogram_.size(), 1, b}};
}

void FunctionalProblem::begin_step(std::span<const double> theta, std::span<const double>) {
  theta_.assign(theta.begin(), theta.end());
}

void FunctionalProblem::load(RowBlock block, Scratch& scratch) const {
  const std::span<const std::uint32_t> rows = block.rows;
  data_->x.prefetch(block.ahead);
  Network::load(data_->x, rows, scratch.block);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    scratch.y[i] = data_->y[rows[i]];
    scratch.weights[i] = unit_rows_.weight(data_->units[rows[i]]);
  }
  const std::size_t size = rows.size() * network_.outputs();
  const std::span<double> outputs = std::span(scratch.outputs).first(size);
  network_.forward(theta_, scratch.block, outputs);
  class_probabilities(outputs, network_.outputs(), options_.tau,
                      std::span(scratch.f_sharp).first(size));
}

void FunctionalProblem::add_loss(std::size_t rows, Scratch& scratch) const {
  const std::size_t width = network_.outputs();
  const std::span<double> f = std::span(scratch.f).first(rows * width);
  class_probabilities(std::span(scratch.outputs).first(rows * width), width, 1, f);
  loss_gradient(f, width, std::span(scratch.y).first(rows), std::span(scratch.weights).first(rows),
                scratch.block.deltas(network_.layers().size() - 1));
}

void FunctionalProblem::add_public(std::span<const std::uint32_t> units, Gradients& gradients,
                                   Workers* workers) {
  std::vector<std::uint32_t> storage;
  const std::size_t width = network_.outputs();
  const auto add_rows = [&](RowBlock block, unsigned worker, std::vector<double>& sums) {
    Scratch& scratch = scratch_[worker];
    load(block, scratch);
    const std::size_t rows = block.rows.size();
    add_loss(rows, scratch);
    std::ranges::copy_n(scratch.y.begin(), static_cast<std::ptrdiff_t>(rows),
                        scratch.which.begin());
    add_functional_gradient(std::span(scratch.f_sharp).first(rows * width), width, options_.tau, 1,
                            common_, std::span(scratch.which).first(rows),
                            std::span(scratch.weights).first(rows),
                            scratch.block.deltas(network_.layers().size() - 1));
    network_.backward(theta_, scratch.block);
    add_products(scratch.block, 1, sums);
  };
  std::vector<std::vector<double>> parts;
  sum_in_tasks(unit_rows_.of_all(units, storage), std::vector<double>(theta_size()), workers, parts,
               [&](Rows rows, Rows after, unsigned worker, std::vector<double>& sums) {
                 in_blocks(rows, after, [&](RowBlock block) { add_rows(block, worker, sums); });
               });
  for (const std::vector<double>& part : parts) {
    add(part, gradients.theta, 1 / static_cast<double>(units.size()));
  }
}

void FunctionalProblem::write_histogram(const std::vector<std::uint16_t>& s, RowBlock block,
                                        Scratch& scratch) const {
  const std::size_t width = network_.outputs();
  const std::size_t l = options_.setting.classes;
  FactorBlock& sums = scratch.block;
  for (std::size_t j = 0; j < sums.dense_size(); ++j) std::ranges::fill(sums.dense(j), 0.0);
  for (std::size_t i = 0; i < block.rows.size(); ++i) {
    const std::size_t c = condition_by_label_[scratch.y[i]];
    if (c == options_.setting.conditions()) continue;
    const std::size_t cell = c * options_.setting.groups + s[block.rows[i]];
    const std::span<const double> f = std::span(scratch.f_sharp).subspan(i * width, width);
    for (std::size_t j = 0; j < l; ++j) {
      sums.dense(cell * l + j)[i] = scratch.weights[i] * class_probability(f, j);
    }
  }
}

void FunctionalProblem::secret_rows(const std::vector<std::uint16_t>& s, RowBlock block,
                                    Scratch& scratch) const {
  load(block, scratch);
  const std::size_t rows = block.rows.size();
  const std::size_t width = network_.outputs();
  const std::span<double> deltas = scratch.block.deltas(network_.layers().size() - 1);
  if (public_features_) {
    std::ranges::fill(deltas, 0.0);
  } else {
    add_loss(rows, scratch);
  }
  for (std::size_t i = 0; i < rows; ++i) {
    scratch.which[i] =
        static_cast<std::uint32_t>(scratch.y[i] * options_.setting.groups + s[block.rows[i]]);
  }
  add_functional_gradient(std::span(scratch.f_sharp).first(rows * width), width, options_.tau, 1,
                          by_group_, std::span(scratch.which).first(rows),
                          std::span(scratch.weights).first(rows), deltas);
  if (has_histogram()) write_histogram(s, block, scratch);
  network_.backward(theta_, scratch.block);
}

Result<ClippedSum> FunctionalProblem::clipped_sum(const Privatizer& privatizer, Batch batch,
                                                  Workers* workers) {
  const auto fill = [&](const std::vector<std::uint16_t>& s, RowBlock block,
                        unsigned worker) -> FactorBlock& {
    secret_rows(s, block, scratch_[worker]);
    return scratch_[worker].block;
  };
  return clipped_rows(*data_, unit_rows_, privatizer, std::move(batch), workers, fill);
}

void FunctionalProblem::add_released(const NoisySum& noisy, Gradients& gradients) {
  add(noisy.segment(0), gradients.theta, scale_ / noisy.expected_units());
  if (!has_histogram()) return;
  std::ranges::transform(noisy.segment(1), histogram_.begin(),
                         [&](double sum) { return sum / noisy.expected_units(); });
}

}  // namespace dpfermi
