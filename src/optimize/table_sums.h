#pragma once

/// What the problems on tables share: sums over blocks of rows, public and secret.

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "dpfermi/core/outer_products.h"
#include "dpfermi/core/workers.h"
#include "dpfermi/data/dataset.h"
#include "dpfermi/data/unit_rows.h"
#include "dpfermi/privacy/mechanism/privatizer.h"

namespace dpfermi {

/// to += factor * from.
inline void add(std::span<const double> from, std::span<double> to, double factor = 1) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += factor * from[i];
}

/// A block of rows, and the one that comes next (empty at the end), which may be prefetched.
struct RowBlock {
  std::span<const std::uint32_t> rows;
  std::span<const std::uint32_t> ahead;
};

/// Calls visit with blocks of rows.
template <class Visit>
void in_blocks(std::span<const std::uint32_t> rows, const Visit& visit) {
  const auto take = [&](std::size_t start) {
    return start < rows.size()
               ? rows.subspan(start, std::min(FactorBlock::kRows, rows.size() - start))
               : std::span<const std::uint32_t>();
  };
  for (std::size_t start = 0; start < rows.size(); start += FactorBlock::kRows) {
    visit(RowBlock{take(start), take(start + FactorBlock::kRows)});
  }
}

/// Sums over rows, in tasks of a fixed size so that they do not depend on the workers: calls
/// add_rows(block, worker, sums of the task). Every task's sums begin as `empty`.
template <class Sums, class AddRows>
std::vector<Sums> sum_in_tasks(std::span<const std::uint32_t> rows, const Sums& empty,
                               Workers* workers, const AddRows& add_rows) {
  constexpr std::size_t kTaskRows = 4 * FactorBlock::kRows;
  const std::size_t tasks = (rows.size() + kTaskRows - 1) / kTaskRows;
  std::vector<Sums> sums(tasks, empty);
  run_tasks(workers, tasks, [&](std::size_t task, unsigned worker) {
    const std::size_t start = task * kTaskRows;
    in_blocks(rows.subspan(start, std::min(kTaskRows, rows.size() - start)),
              [&](RowBlock block) { add_rows(block, worker, sums[task]); });
  });
  return sums;
}

/// The clipped sum over a batch of what fill(s, block, worker) leaves in the FactorBlock that it
/// returns: units of one row by products, persons, whose rows make up one vector, one at a time.
template <class Fill>
Result<ClippedSum> clipped_rows(const Dataset& data, const UnitRows& units,
                                const Privatizer& privatizer, Batch batch, Workers* workers,
                                const Fill& fill) {
  using Groups = std::vector<std::uint16_t>;
  if (units.single()) {
    const auto factors = [&](const Groups& s, std::span<const std::uint32_t> rows,
                             std::span<const std::uint32_t> ahead,
                             unsigned worker) -> FactorBlock& {
      return fill(s, RowBlock{rows, ahead}, worker);
    };
    return privatizer.sum_products(data.s, std::move(batch), factors, workers);
  }
  const auto add_person = [&](const Groups& s, std::uint32_t person, std::span<double> out) {
    in_blocks(units.of(person), [&](RowBlock rows) {
      const FactorBlock& block = fill(s, rows, 0);
      add_products(block, 1, out.first(block.parameters()));
      add_dense(block, out.subspan(block.parameters()));
    });
  };
  return privatizer.sum(data.s, std::move(batch), add_person);
}

}  // namespace dpfermi
