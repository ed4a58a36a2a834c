#include "dpfermi/optimize/fermi_problem.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "dpfermi/core/vector_math.h"
#include "dpfermi/objective/row_gradients.h"
#include "optimize/table_sums.h"

namespace dpfermi {
namespace {

constexpr std::array<double, FactorBlock::kRows> kOnes = [] {
  std::array<double, FactorBlock::kRows> ones{};
  ones.fill(1);
  return ones;
}();

/// sums (conditions x width) += weight_i f_i, for rows that meet a condition. `everybody`: all rows
/// meet the first.
void add_by_condition(std::span<const std::uint32_t> conditions, bool everybody,
                      std::span<const double> f, std::size_t width, std::span<const double> weights,
                      std::span<double> sums) {
  if (everybody && width == 1) {
    sums[0] += dot(weights, f.first(weights.size()));
    return;
  }
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const std::size_t start = conditions[i] * width;
    if (start >= sums.size()) continue;
    for (std::size_t j = 0; j < width; ++j) sums[start + j] += weights[i] * f[i * width + j];
  }
}

/// The most likely class as probabilities of 0 and 1, the first of several.
void decide(std::span<const double> f, std::size_t width, std::size_t size,
            std::span<double> hard) {
  if (width == 1) {
    for (std::size_t i = 0; i < size; ++i) hard[i] = f[i] > 0.5 ? 1 : 0;
    return;
  }
  for (std::size_t start = 0; start < size; start += width) {
    const std::span<const double> row = f.subspan(start, width);
    const auto best = std::ranges::max_element(row) - row.begin();
    for (std::size_t j = 0; j < width; ++j) {
      hard[start + j] = static_cast<std::ptrdiff_t>(j) == best ? 1 : 0;
    }
  }
}

}  // namespace

FermiProblem::FermiProblem(const Dataset& data, Network network, ErmiPenalty penalty,
                           Adjacency adjacency, FermiOptions options, std::size_t workers)
    : data_(&data),
      network_(std::move(network)),
      penalty_(std::move(penalty)),
      public_features_(features_are_public(adjacency)),
      options_(options),
      table_(penalty_.setting(), penalty_.marginals(), public_features_),
      decisions_(table_),
      condition_by_label_(penalty_.setting().condition_by_label()),
      unit_rows_(data),
      f_sums_(penalty_.setting().conditions() * network_.outputs()),
      hard_sums_(f_sums_.size()),
      weight_sums_(penalty_.setting().conditions()) {
  const std::size_t width = network_.outputs();
  constexpr std::size_t kRows = FactorBlock::kRows;
  const Scratch empty{.block = FactorBlock(network_.layers(), dense_size()),
                      .outputs = std::vector<double>(kRows * width),
                      .f = std::vector<double>(kRows * width),
                      .f_sharp = std::vector<double>(kRows * width),
                      .f_hard = std::vector<double>(kRows * width),
                      .weights = std::vector<double>(kRows, 1.0),
                      .y = std::vector<std::uint16_t>(kRows),
                      .conditions = std::vector<std::uint32_t>(kRows),
                      .cells = std::vector<std::uint32_t>(kRows)};
  scratch_.assign(workers, empty);
}

std::vector<Segment> FermiProblem::segments() const {
  const double b = options_.table_weight;
  return {{theta_size(), options_.clip_norm, std::sqrt(1 - b * b)},
          {dense_size(), table_.bound() * (options_.watch_decisions ? std::sqrt(2.0) : 1), b}};
}

void FermiProblem::begin_step(std::span<const double> theta, std::span<const double> w) {
  theta_.assign(theta.begin(), theta.end());
  w_.assign(w.begin(), w.end());
  functionals_ = public_features_ ? penalty_.centred(w) : penalty_.whole(w);
  ++steps_;
}

void FermiProblem::load(RowBlock block, Scratch& scratch) const {
  const std::span<const std::uint32_t> rows = block.rows;
  data_->x.prefetch(block.ahead);
  Network::load(data_->x, rows, scratch.block);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    scratch.y[i] = data_->y[rows[i]];
    scratch.conditions[i] = condition_by_label_[scratch.y[i]];
  }
  if (!unit_rows_.single()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      scratch.weights[i] = unit_rows_.weight(data_->units[rows[i]]);
    }
  }
  const std::size_t size = rows.size() * network_.outputs();
  const std::span<double> outputs = std::span(scratch.outputs).first(size);
  network_.forward(theta_, scratch.block, outputs);
  class_probabilities(outputs, network_.outputs(), options_.tau,
                      std::span(scratch.f_sharp).first(size));
  if (options_.watch_decisions) decide(scratch.f_sharp, network_.outputs(), size, scratch.f_hard);
}

void FermiProblem::add_public(std::span<const std::uint32_t> units, Gradients& gradients,
                              Workers* workers) {
  std::vector<std::uint32_t> storage;
  const PublicSums empty{.theta = std::vector<double>(theta_size()),
                         .f = std::vector<double>(f_sums_.size()),
                         .f_hard = std::vector<double>(hard_sums_.size()),
                         .weights = std::vector<double>(weight_sums_.size())};
  const std::vector<PublicSums> sums =
      sum_in_tasks(unit_rows_.of_all(units, storage), empty, workers,
                   [&](RowBlock block, unsigned worker, PublicSums& own) {
                     add_public_rows(block, scratch_[worker], own);
                   });
  std::ranges::fill(f_sums_, 0.0);
  std::ranges::fill(hard_sums_, 0.0);
  std::ranges::fill(weight_sums_, 0.0);
  for (const PublicSums& part : sums) {
    add(part.theta, gradients.theta, 1 / static_cast<double>(units.size()));
    add(part.f, f_sums_);
    add(part.f_hard, hard_sums_);
    add(part.weights, weight_sums_);
  }
}

void FermiProblem::add_public_rows(RowBlock block, Scratch& scratch, PublicSums& sums) const {
  load(block, scratch);
  const std::span<const std::uint32_t> rows = block.rows;
  const std::size_t width = network_.outputs();
  const std::size_t size = rows.size() * width;
  const std::span<const double> weights = std::span(scratch.weights).first(rows.size());
  const std::span<double> deltas = scratch.block.deltas(network_.layers().size() - 1);
  const std::span<double> f = std::span(scratch.f).first(size);
  class_probabilities(std::span(scratch.outputs).first(size), width, 1, f);
  loss_gradient(f, width, std::span(scratch.y).first(rows.size()), weights, deltas);

  const std::size_t conditions = penalty_.setting().conditions();
  if (conditions > 0) {
    const std::span<const std::uint32_t> own = std::span(scratch.conditions).first(rows.size());
    const bool everybody = penalty_.setting().notion == FairnessNotion::kDemographicParity;
    add_by_condition(own, everybody, scratch.f_sharp, width, weights, sums.f);
    if (options_.watch_decisions) {
      add_by_condition(own, everybody, scratch.f_hard, width, weights, sums.f_hard);
    }
    add_by_condition(own, everybody, kOnes, 1, weights, sums.weights);
    add_functional_gradient(std::span(scratch.f_sharp).first(size), width, options_.tau,
                            options_.lambda, functionals_.common, own, weights, deltas);
  }
  network_.backward(theta_, scratch.block);
  add_products(scratch.block, 1, sums.theta);
}

void FermiProblem::secret_rows(const std::vector<std::uint16_t>& s, RowBlock block,
                               Scratch& scratch) const {
  load(block, scratch);
  const std::span<const std::uint32_t> rows = block.rows;
  const std::size_t width = network_.outputs();
  const std::size_t size = rows.size() * width;
  const auto k = static_cast<std::uint32_t>(penalty_.setting().groups);
  const auto conditions = static_cast<std::uint32_t>(penalty_.setting().conditions());
  const std::span<const double> weights = std::span(scratch.weights).first(rows.size());
  const std::span<double> deltas = scratch.block.deltas(network_.layers().size() - 1);
  const std::span<const double> f_sharp = std::span(scratch.f_sharp).first(size);
  if (public_features_) {
    std::ranges::fill(deltas, 0.0);
  } else {
    const std::span<double> f = std::span(scratch.f).first(size);
    class_probabilities(std::span(scratch.outputs).first(size), width, 1, f);
    loss_gradient(f, width, std::span(scratch.y).first(rows.size()), weights, deltas);
  }
  const std::span<const std::uint32_t> own = std::span(scratch.conditions).first(rows.size());
  const std::span<std::uint32_t> cells = std::span(scratch.cells).first(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    cells[i] = own[i] == conditions ? conditions * k : own[i] * k + s[rows[i]];
  }
  const std::span<double> dense = scratch.block.dense();
  table_.write_rows(own, cells, f_sharp, weights, dense_size(), dense);
  if (options_.watch_decisions) {
    decisions_.write_rows(own, cells, std::span(scratch.f_hard).first(size), weights, dense_size(),
                          dense.subspan(table_.sum_size()));
  }
  add_functional_gradient(f_sharp, width, options_.tau, public_features_ ? 1 : options_.lambda,
                          functionals_.by_group, cells, weights, deltas);
  network_.backward(theta_, scratch.block);
}

Result<ClippedSum> FermiProblem::clipped_sum(const Privatizer& privatizer, Batch batch,
                                             Workers* workers) {
  using Groups = std::vector<std::uint16_t>;
  const auto fill = [&](const Groups& s, RowBlock block, unsigned worker) -> FactorBlock& {
    secret_rows(s, block, scratch_[worker]);
    return scratch_[worker].block;
  };
  return clipped_rows(*data_, unit_rows_, privatizer, std::move(batch), workers, fill);
}

void FermiProblem::add_released(const NoisySum& noisy, Gradients& gradients) {
  add_sums(noisy.segment(0), noisy.segment(1), noisy.noise_stddev(1), noisy.expected_units(),
           gradients);
}

void FermiProblem::add_exact(std::span<const std::uint32_t> units, Gradients& gradients, Workers*) {
  const std::vector<std::uint16_t>& s = ExactForHolder::read(data_->s);
  Scratch& scratch = scratch_[0];
  std::vector<std::uint32_t> storage;
  std::vector<double> theta(theta_size());
  std::vector<double> table(dense_size());
  in_blocks(unit_rows_.of_all(units, storage), [&](RowBlock block) {
    secret_rows(s, block, scratch);
    add_products(scratch.block, 1, theta);
    add_dense(scratch.block, table);
  });
  add_sums(theta, table, 0, static_cast<double>(units.size()), gradients);
}

void FermiProblem::add_sums(std::span<const double> theta, std::span<const double> table,
                            double table_noise, double units, Gradients& gradients) {
  add(theta, gradients.theta, noise_scale() / units);
  const double first_steps = 1 / static_cast<double>(steps_);
  table_.add(table.first(table_.sum_size()), units, f_sums_, weight_sums_, table_noise,
             std::max(options_.smoothing, first_steps));
  if (options_.watch_decisions) {
    decisions_.add(table.subspan(table_.sum_size()), units, hard_sums_, weight_sums_, table_noise,
                   std::max(options_.decision_smoothing, first_steps));
  }
  add(penalty_.w_gradient(w_, table_.latest(), table_.latest_mean()), gradients.w, options_.lambda);
}

void FermiProblem::project(std::span<double> w) const {
  double square = 0;
  for (const double entry : w) square += entry * entry;
  const double norm = std::sqrt(square);
  if (norm <= options_.w_radius) return;
  for (double& entry : w) entry *= options_.w_radius / norm;
}

void FermiProblem::respond(std::span<double> w) const {
  std::ranges::copy(penalty_.best_w(table_.smoothed(), table_.smoothed_noise()), w.begin());
}

std::vector<double> FermiProblem::state() const {
  std::vector<double> all = table_.state();
  const std::vector<double> decisions = decisions_.state();
  all.insert(all.end(), decisions.begin(), decisions.end());
  return all;
}

void FermiProblem::restore(std::span<const double> state, std::uint64_t steps) {
  table_.restore(state.first(state.size() / 2));
  decisions_.restore(state.subspan(state.size() / 2));
  steps_ = steps;
}

}  // namespace dpfermi
