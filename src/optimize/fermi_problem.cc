#include "optimize/fermi_problem.h"

#include <algorithm>
#include <memory>

#include "objective/row_gradients.h"
#include "optimize/table_sums.h"

namespace dpfermi {
namespace {

/// Merged where that pays: one output, and sums over many rows at a time.
std::shared_ptr<const ColumnCodes> codes_for(const HybridMatrix& x, const Network& network,
                                             const UnitRows& units) {
  const bool merge = network.layers()[0].outputs == 1 && units.single();
  if (!merge || x.category_sizes().empty()) return std::make_shared<const ColumnCodes>(x.columns());
  return std::make_shared<const ColumnCodes>(x.number_count(), x.category_sizes());
}

/// to += factor * from, which is zero afterwards.
void drain(std::span<double> from, std::span<double> to, double factor = 1) {
  add(from, to, factor);
  std::ranges::fill(from, 0.0);
}

}  // namespace

FermiProblem::FermiProblem(const Dataset& data, Network network, ErmiPenalty penalty,
                           Adjacency adjacency, FermiOptions options, std::size_t workers)
    : fairness_(std::move(penalty), adjacency, options),
      data_(&data),
      network_(std::move(network)),
      unit_rows_(data),
      rows_(data.x, data.y, codes_for(data.x, network_, unit_rows_)) {
  constexpr std::size_t kRows = FactorBlock::kRows;
  if (!data.weights.empty()) loss_weights_ = loss_weights(data);
  const Scratch empty{
      .block = FactorBlock(network_.layers(), fairness_.dense_size(), rows_.codes()),
      .products = {},
      .outputs = std::vector<double>(kRows * width()),
      .f = std::vector<double>(kRows * width()),
      .f_sharp = std::vector<double>(kRows * width()),
      .f_hard = std::vector<double>(kRows * width()),
      .weights = std::vector<double>(kRows, 1.0),
      .loss_weights = std::vector<double>(loss_weights_.empty() ? 0 : kRows),
      .conditions = std::vector<std::uint32_t>(kRows),
      .cells = std::vector<std::uint32_t>(kRows)};
  scratch_.assign(workers, empty);
}

void FermiProblem::begin_step(std::span<const double> theta, std::span<const double> w) {
  theta_.assign(theta.begin(), theta.end());
  code_weights_ = network_.code_weights(theta_, *rows_.codes());
  fairness_.begin_step(w);
}

void FermiProblem::load(RowBlock block, bool with_loss, Scratch& scratch) const {
  const std::span<const std::uint32_t> rows = block.rows;
  rows_.load(rows, block.ahead, scratch.block);
  if (!fairness_.everybody()) {
    const std::span<const std::uint16_t> y = scratch.block.labels();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      scratch.conditions[i] = fairness_.condition_by_label()[y[i]];
    }
  }
  if (!unit_rows_.single()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      scratch.weights[i] = unit_rows_.weight(data_->units[rows[i]]);
    }
  }
  const std::size_t size = rows.size() * width();
  const std::span<double> outputs = std::span(scratch.outputs).first(size);
  const std::span<double> f_sharp = std::span(scratch.f_sharp).first(size);
  network_.forward(theta_, code_weights_, scratch.block, outputs);
  if (with_loss) {
    class_probabilities(outputs, width(), tau(), std::span(scratch.f).first(size), f_sharp);
  } else {
    class_probabilities(outputs, width(), tau(), f_sharp);
  }
  if (fairness_.options().watch_decisions) fairness_.decide(f_sharp, scratch.f_hard);
}

FairnessState::TableRows FermiProblem::table_rows(const Scratch& scratch, std::size_t rows) const {
  return {std::span(scratch.conditions).first(rows),
          std::span(scratch.f_sharp).first(rows * width()),
          std::span(scratch.f_hard).first(rows * width()), std::span(scratch.weights).first(rows)};
}

void FermiProblem::add_public(std::span<const std::uint32_t> units, Gradients& gradients,
                              Workers* workers) {
  std::vector<std::uint32_t> storage;
  const TaskSums empty{.theta = std::vector<double>(theta_size()), .tables = fairness_.no_sums()};
  sum_in_tasks(unit_rows_.of_all(units, storage), empty, workers, tasks_,
               [&](Rows rows, Rows after, unsigned worker, TaskSums& own) {
                 Scratch& scratch = scratch_[worker];
                 in_blocks(rows, after,
                           [&](RowBlock block) { add_public_block(block, scratch, own); });
                 scratch.products.move_to(own.theta);
               });
  FairnessState::PublicSums sums = fairness_.no_sums();
  const auto count = static_cast<double>(std::max<std::size_t>(units.size(), 1));
  for (TaskSums& task : tasks_) {
    drain(task.theta, gradients.theta, 1 / count);
    drain(task.tables.f, sums.f);
    drain(task.tables.f_hard, sums.f_hard);
    drain(task.tables.weights, sums.weights);
  }
  fairness_.set_public(std::move(sums));
}

void FermiProblem::add_public_block(RowBlock block, Scratch& scratch, TaskSums& sums) const {
  load(block, true, scratch);
  const std::size_t rows = block.rows.size();
  const FairnessState::TableRows own = table_rows(scratch, rows);
  const std::span<double> deltas = scratch.block.deltas(network_.layers().size() - 1);
  const std::span<const double> f = std::span(scratch.f).first(rows * width());
  // Case weights are for the loss alone: nothing that meets s is scaled by them.
  for (std::size_t i = 0; i < rows && !loss_weights_.empty(); ++i) {
    scratch.loss_weights[i] = loss_weights_[block.rows[i]];
  }
  loss_gradient(f, width(), scratch.block.labels(),
                loss_weights_.empty() ? own.weights : std::span(scratch.loss_weights).first(rows),
                deltas);
  if (fairness_.penalty().setting().conditions() > 0) {
    fairness_.add_public_rows(own, sums.tables);
    add_functional_gradient(own.f, width(), tau(), fairness_.lambda(),
                            fairness_.functionals().common,
                            fairness_.everybody() ? Rows() : own.conditions, own.weights, deltas);
  }
  network_.backward(theta_, scratch.block);
  scratch.products.add(scratch.block, 1);
}

void FermiProblem::secret_rows(const std::vector<std::uint16_t>& s, RowBlock block,
                               Scratch& scratch) const {
  load(block, !fairness_.public_features(), scratch);
  const std::size_t rows = block.rows.size();
  const FairnessState::TableRows own = table_rows(scratch, rows);
  const std::span<double> deltas = scratch.block.deltas(network_.layers().size() - 1);
  if (fairness_.public_features()) {
    std::ranges::fill(deltas, 0.0);
  } else {
    const std::span<const double> f = std::span(scratch.f).first(rows * width());
    loss_gradient(f, width(), scratch.block.labels(), own.weights, deltas);
  }
  const std::span<std::uint32_t> cells = std::span(scratch.cells).first(rows);
  fairness_.find_cells(own.conditions, s, block.rows, cells);
  fairness_.write_tables(own, cells, FactorBlock::kRows, scratch.block.dense());
  add_functional_gradient(own.f, width(), tau(),
                          fairness_.public_features() ? 1 : fairness_.lambda(),
                          fairness_.functionals().by_group, cells, own.weights, deltas);
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

Status FermiProblem::add_exact(const ExactRead& read, std::span<const std::uint32_t> units,
                               Gradients& gradients, Workers*) {
  const std::vector<std::uint16_t>& s = read.of(data_->s);
  Scratch& scratch = scratch_[0];
  std::vector<std::uint32_t> storage;
  std::vector<double> theta(theta_size());
  std::vector<double> table(fairness_.dense_size());
  in_blocks(unit_rows_.of_all(units, storage), {}, [&](RowBlock block) {
    secret_rows(s, block, scratch);
    scratch.products.add(scratch.block, 1);
    add_dense(scratch.block, table);
  });
  scratch.products.move_to(theta);
  fairness_.add_sums(theta, table, 0, static_cast<double>(units.size()), gradients);
  return {};
}

}  // namespace dpfermi
