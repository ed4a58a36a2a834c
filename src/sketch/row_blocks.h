#pragma once

/// Rows of a table in blocks that a full-batch optimiser walks again and again. For models without
/// hidden layers their categories are merged (sketch/merged_categories.h). Blocks are loaded when
/// they are first summed up: a process that shares the work loads those of its share. They are kept
/// then; of tables with more rows than kMostKept they are loaded anew for every sum, where no
/// activation of a hidden layer has to last from one sum to the next.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/outer_products.h"
#include "core/team.h"
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

  /// Kept blocks take about 50 bytes a row with four numbers and four categories.
  static constexpr std::size_t kMostKept = std::size_t{1} << 22;

  /// Requires that `x` outlives the object.
  RowBlocks(const HybridMatrix& x, const ModelSpec& model, std::vector<std::uint32_t> rows,
            std::size_t most_kept = kMostKept);
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
  /// The processes of `team` share the tasks out: all of them get the sums, and each has called
  /// add_block() for the blocks of its tasks alone, which are the same in every sum.
  template <class AddBlock>
  void sum(Workers* workers, std::span<double> sums, const AddBlock& add_block,
           Team& team = Team::alone()) {
    sum_tasks(workers, sums, team, [&](std::size_t task, std::span<double> part) {
      for_blocks(task, [&](Block& block) { add_block(block, part); });
    });
  }

  /// The same; adds to `gradient`, which is as long as theta, the products of the factors that
  /// add_block() leaves in each block.
  template <class AddBlock>
  void sum_products(Workers* workers, std::span<double> sums, std::span<double> gradient,
                    const AddBlock& add_block, Team& team = Team::alone()) {
    const std::size_t size = network_.spec().parameter_count();
    std::vector<double> products(tasks() * size);
    sum_tasks(workers, sums, team, [&](std::size_t task, std::span<double> part) {
      ProductSums own;
      for_blocks(task, [&](Block& block) {
        add_block(block, part);
        own.add(block.factors, 1);
      });
      own.move_to(std::span(products).subspan(task * size, size));
    });
    team.gather(products, size);
    fold(products, gradient);
  }

 private:
  static constexpr std::size_t kTaskRows = 32 * FactorBlock::kRows;

  std::size_t tasks() const { return blocks_.size(); }
  template <class Act>
  void for_blocks(std::size_t task, const Act& act) {
    if (keeps_) {
      if (blocks_[task].empty()) blocks_[task] = load(task);
      for (Block& block : blocks_[task]) act(block);
      return;
    }
    Block block = empty_block();
    for (std::size_t first = task * kTaskRows; first < end_of(task); first += FactorBlock::kRows) {
      load(first, block);
      act(block);
    }
  }
  template <class AddTask>
  void sum_tasks(Workers* workers, std::span<double> sums, Team& team,
                 const AddTask& add_task) const {
    std::vector<double> parts(tasks() * sums.size());
    const auto part_of = [&](std::size_t task) {
      return std::span(parts).subspan(task * sums.size(), sums.size());
    };
    const Share share = team.share(tasks());
    run_tasks(workers, share.size(), [&](std::size_t index, unsigned) {
      add_task(share.first + index, part_of(share.first + index));
    });
    team.gather(parts, sums.size());
    for (std::size_t task = 0; task < tasks(); ++task) {
      const std::span<const double> part = part_of(task);
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += part[i];
    }
  }
  std::size_t end_of(std::size_t task) const {
    return std::min(rows_.size(), (task + 1) * kTaskRows);
  }
  Block empty_block() const { return {FactorBlock(network_.layers(), 0, codes_), {}}; }
  std::vector<Block> load(std::size_t task) const;
  /// The rows from the `first` one on.
  void load(std::size_t first, Block& block) const;
  /// Adds the products of all tasks, in their order, to `gradient`.
  void fold(std::span<double> products, std::span<double> gradient) const;

  const HybridMatrix* x_;
  std::vector<std::uint32_t> rows_;
  std::optional<MergedCategories> merged_;  ///< nothing: as in x
  Network network_;                         ///< of merged columns
  std::shared_ptr<const ColumnCodes> codes_;
  bool keeps_;
  std::vector<std::vector<Block>> blocks_;  ///< by task; empty: not loaded yet, or not kept
};

}  // namespace dpfermi
