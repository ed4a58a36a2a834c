#pragma once

/// Rows of a table, loaded once in blocks that a full-batch optimiser walks again and again. For
/// models without hidden layers their categories are merged (sketch/merged_categories.h).

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/outer_products.h"
#include "dpfermi/core/workers.h"
#include "model/network.h"
#include "sketch/merged_categories.h"

namespace dpfermi {

class RowBlocks {
 public:
  struct Block {
    FactorBlock factors;
    std::span<const std::uint32_t> rows;
  };
  /// Parameters as the blocks read them.
  struct Weights {
    std::vector<double> theta;
    std::vector<double> of_codes;
  };

  RowBlocks(const HybridMatrix& x, const ModelSpec& model, std::vector<std::uint32_t> rows);
  RowBlocks(RowBlocks&&) noexcept = default;
  RowBlocks& operator=(RowBlocks&&) noexcept = default;
  RowBlocks(const RowBlocks&) = delete;
  RowBlocks& operator=(const RowBlocks&) = delete;
  ~RowBlocks() = default;

  std::span<const std::uint32_t> rows() const { return rows_; }

  Weights weights(std::span<const double> theta) const;
  /// The outputs of a block, rows x outputs; keeps the activations in it.
  void forward(const Weights& weights, Block& block, std::span<double> outputs) const {
    network_.forward(weights.theta, weights.of_codes, block.factors, outputs);
  }
  /// After forward(), with the derivatives at the outputs in the last layer's deltas.
  void backward(const Weights& weights, Block& block) const {
    network_.backward(weights.theta, block.factors);
  }

  /// Adds to `sums` what add_block(block, sums of the task) adds for every block: in tasks of a
  /// fixed number of blocks and in their order, so that the result does not depend on the workers.
  template <class AddBlock>
  void sum(Workers* workers, std::span<double> sums, const AddBlock& add_block) {
    sum_tasks(workers, sums, [&](std::size_t task, std::span<double> part) {
      for (Block& block : of_task(task)) add_block(block, part);
    });
  }

  /// The same; adds to `gradient`, which is as long as theta, the products of the factors that
  /// add_block() leaves in each block.
  template <class AddBlock>
  void sum_products(Workers* workers, std::span<double> sums, std::span<double> gradient,
                    const AddBlock& add_block) {
    std::vector<std::vector<double>> products(
        tasks(), std::vector<double>(network_.spec().parameter_count()));
    sum_tasks(workers, sums, [&](std::size_t task, std::span<double> part) {
      ProductSums own;
      for (Block& block : of_task(task)) {
        add_block(block, part);
        own.add(block.factors, 1);
      }
      own.move_to(products[task]);
    });
    fold(std::move(products), gradient);
  }

 private:
  static constexpr std::size_t kTaskBlocks = 32;

  std::size_t tasks() const { return (blocks_.size() + kTaskBlocks - 1) / kTaskBlocks; }
  std::span<Block> of_task(std::size_t task) {
    const std::size_t first = task * kTaskBlocks;
    return std::span(blocks_).subspan(first, std::min(kTaskBlocks, blocks_.size() - first));
  }
  template <class AddTask>
  void sum_tasks(Workers* workers, std::span<double> sums, const AddTask& add_task) const {
    std::vector<std::vector<double>> parts(tasks(), std::vector<double>(sums.size()));
    run_tasks(workers, tasks(),
              [&](std::size_t task, unsigned) { add_task(task, std::span(parts[task])); });
    for (const std::vector<double>& part : parts) {
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += part[i];
    }
  }
  void add_block(const HybridMatrix& x, std::size_t first);
  void fold(std::vector<std::vector<double>> products, std::span<double> gradient) const;

  std::vector<std::uint32_t> rows_;
  std::optional<MergedCategories> merged_;  ///< nothing: as in x
  Network network_;                         ///< of merged columns
  std::shared_ptr<const ColumnCodes> codes_;
  std::vector<Block> blocks_;
};

}  // namespace dpfermi
