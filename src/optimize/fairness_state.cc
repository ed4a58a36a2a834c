#include "optimize/fairness_state.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/vector_math.h"
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

}  // namespace

FairnessState::FairnessState(ErmiPenalty penalty, Adjacency adjacency, FermiOptions options)
    : penalty_(std::move(penalty)),
      public_features_(features_are_public(adjacency)),
      options_(options),
      table_(penalty_.setting(), penalty_.marginals(), public_features_),
      decisions_(table_),
      condition_by_label_(penalty_.setting().condition_by_label()),
      public_(no_sums()) {}

std::vector<Segment> FairnessState::segments_for(std::size_t theta_size) const {
  const double b = options_.table_weight;
  return {{theta_size, options_.clip_norm, std::sqrt(1 - b * b)},
          {dense_size(), table_.bound() * (options_.watch_decisions ? std::sqrt(2.0) : 1), b}};
}

void FairnessState::begin_step(std::span<const double> w) {
  w_.assign(w.begin(), w.end());
  functionals_ = public_features_ ? penalty_.centred(w) : penalty_.whole(w);
  ++steps_;
}

void FairnessState::decide(std::span<const double> f, std::span<double> hard) const {
  const std::size_t columns = width();
  if (columns == 1) {
    for (std::size_t i = 0; i < f.size(); ++i) hard[i] = f[i] > 0.5 ? 1 : 0;
    return;
  }
  for (std::size_t start = 0; start < f.size(); start += columns) {
    const std::span<const double> row = f.subspan(start, columns);
    const auto best = std::ranges::max_element(row) - row.begin();
    for (std::size_t j = 0; j < columns; ++j) {
      hard[start + j] = static_cast<std::ptrdiff_t>(j) == best ? 1 : 0;
    }
  }
}

FairnessState::PublicSums FairnessState::no_sums() const {
  const std::size_t conditions = penalty_.setting().conditions();
  const std::vector<double> by_class(conditions * width());
  return {.f = by_class, .f_hard = by_class, .weights = std::vector<double>(conditions)};
}

void FairnessState::add_public_rows(const TableRows& rows, PublicSums& sums) const {
  add_by_condition(rows.conditions, everybody(), rows.f, width(), rows.weights, sums.f);
  if (options_.watch_decisions) {
    add_by_condition(rows.conditions, everybody(), rows.f_hard, width(), rows.weights, sums.f_hard);
  }
  add_by_condition(rows.conditions, everybody(), kOnes, 1, rows.weights, sums.weights);
}

void FairnessState::find_cells(std::span<const std::uint32_t> conditions,
                               std::span<const std::uint16_t> s,
                               std::span<const std::uint32_t> rows,
                               std::span<std::uint32_t> cells) const {
  const auto k = static_cast<std::uint32_t>(penalty_.setting().groups);
  const auto none = static_cast<std::uint32_t>(penalty_.setting().conditions());
  if (everybody()) {
    for (std::size_t i = 0; i < rows.size(); ++i) cells[i] = s[rows[i]];
    return;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    cells[i] = conditions[i] == none ? none * k : conditions[i] * k + s[rows[i]];
  }
}

void FairnessState::write_tables(const TableRows& rows, std::span<const std::uint32_t> cells,
                                 std::size_t stride, std::span<double> dense) const {
  table_.write_rows(rows.conditions, cells, rows.f, rows.weights, stride, dense);
  if (options_.watch_decisions) {
    decisions_.write_rows(rows.conditions, cells, rows.f_hard, rows.weights, stride,
                          dense.subspan(table_.sum_size() * stride));
  }
}

void FairnessState::add_released(const NoisySum& noisy, Gradients& gradients) {
  add_sums(noisy.segment(0), noisy.segment(1), noisy.noise_stddev(1), noisy.expected_units(),
           gradients);
}

void FairnessState::add_sums(std::span<const double> theta, std::span<const double> table,
                             double table_noise, double units, Gradients& gradients) {
  add(theta, gradients.theta, noise_scale() / units);
  const double first_steps = 1 / static_cast<double>(steps_);
  table_.add(table.first(table_.sum_size()), units, public_.f, public_.weights, table_noise,
             std::max(options_.smoothing, first_steps));
  if (options_.watch_decisions) {
    decisions_.add(table.subspan(table_.sum_size()), units, public_.f_hard, public_.weights,
                   table_noise, std::max(options_.decision_smoothing, first_steps));
  }
  add(penalty_.w_gradient(w_, table_.latest(), table_.latest_mean()), gradients.w, options_.lambda);
}

void FairnessState::project(std::span<double> w) const {
  double square = 0;
  for (const double entry : w) square += entry * entry;
  const double norm = std::sqrt(square);
  if (norm <= options_.w_radius) return;
  for (double& entry : w) entry *= options_.w_radius / norm;
}

void FairnessState::respond(std::span<double> w) const {
  std::ranges::copy(penalty_.best_w(table_.smoothed(), table_.smoothed_noise()), w.begin());
}

std::vector<double> FairnessState::gathered() const {
  std::vector<double> all = table_.state();
  const std::vector<double> decisions = decisions_.state();
  all.insert(all.end(), decisions.begin(), decisions.end());
  return all;
}

void FairnessState::restore(std::span<const double> gathered, std::uint64_t steps) {
  table_.restore(gathered.first(gathered.size() / 2));
  decisions_.restore(gathered.subspan(gathered.size() / 2));
  steps_ = steps;
}

}  // namespace dpfermi
