#pragma once

/// Rows of a table, loaded once in blocks that a full-batch optimiser walks again and again.

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/outer_products.h"
#include "dpfermi/core/workers.h"
#include "model/network.h"

namespace dpfermi {

class RowBlocks {
 public:
  struct Block {
    FactorBlock factors;
    std::span<const std::uint32_t> rows;
  };

  RowBlocks(const HybridMatrix& x, const std::vector<LayerShape>& layers,
            std::vector<std::uint32_t> rows)
      : rows_(std::move(rows)) {
    for (std::size_t start = 0; start < rows_.size(); start += FactorBlock::kRows) {
      const std::size_t size = std::min(FactorBlock::kRows, rows_.size() - start);
      blocks_.push_back({FactorBlock(layers), std::span(rows_).subspan(start, size)});
      Network::load(x, blocks_.back().rows, blocks_.back().factors);
    }
  }
  RowBlocks(RowBlocks&&) noexcept = default;
  RowBlocks& operator=(RowBlocks&&) noexcept = default;
  RowBlocks(const RowBlocks&) = delete;
  RowBlocks& operator=(const RowBlocks&) = delete;
  ~RowBlocks() = default;

  std::span<const std::uint32_t> rows() const { return rows_; }

  /// Adds to `sums` what add_block(block, sums of the task) adds for every block: in tasks of a
  /// fixed number of blocks and in their order, so that the result does not depend on the workers.
  template <class AddBlock>
  void sum(Workers* workers, std::span<double> sums, const AddBlock& add_block) {
    constexpr std::size_t kTaskBlocks = 32;
    const std::size_t tasks = (blocks_.size() + kTaskBlocks - 1) / kTaskBlocks;
    std::vector<std::vector<double>> parts(tasks, std::vector<double>(sums.size()));
    run_tasks(workers, tasks, [&](std::size_t task, unsigned) {
      const std::size_t end = std::min(blocks_.size(), (task + 1) * kTaskBlocks);
      for (std::size_t b = task * kTaskBlocks; b < end; ++b) {
        add_block(blocks_[b], std::span<double>(parts[task]));
      }
    });
    for (const std::vector<double>& part : parts) {
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += part[i];
    }
  }

 private:
  std::vector<std::uint32_t> rows_;
  std::vector<Block> blocks_;
};

}  // namespace dpfermi
