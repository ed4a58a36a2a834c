#pragma once

/// What the problems on tables share: sums over blocks of rows, public and secret.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/outer_products.h"
#include "core/team.h"
#include "data/dataset.h"
#include "data/unit_rows.h"
#include "dpfermi/core/workers.h"
#include "dpfermi/privacy/mechanism/privatizer.h"

namespace dpfermi {

/// to += factor * from.
inline void add(std::span<const double> from, std::span<double> to, double factor = 1) {
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += factor * from[i];
}

using Rows = std::span<const std::uint32_t>;

/// A block of rows, and the one that comes next (empty at the end), which may be prefetched.
struct RowBlock {
  Rows rows;
  Rows ahead;
};

/// Calls visit with blocks of rows; `after` come next, once these are done.
template <class Visit>
void in_blocks(Rows rows, Rows after, const Visit& visit) {
  const auto first_of = [](Rows left) {
    return left.first(std::min(FactorBlock::kRows, left.size()));
  };
  while (!rows.empty()) {
    const Rows block = first_of(rows);
    rows = rows.subspan(block.size());
    visit(RowBlock{block, first_of(rows.empty() ? after : rows)});
  }
}

/// The numbers that make up the sums of a task, piece by piece.
inline std::array<std::span<double>, 1> parts_of(std::vector<double>& sums) {
  return {std::span(sums)};
}

/// Exchanges the sums of tasks: every process has made those of its share, and gets the others.
template <class Sums>
void gather_tasks(Team& team, std::span<Sums> tasks) {
  if (team.size() == 1 || tasks.empty()) return;
  std::size_t piece = 0;
  for (const std::span<double> part : parts_of(tasks[0])) piece += part.size();
  std::vector<double> values(tasks.size() * piece);
  const auto each = [&](const auto& visit) {
    auto at = values.begin();
    for (Sums& task : tasks) {
      for (const std::span<double> part : parts_of(task)) {
        visit(part, at);
        at += static_cast<std::ptrdiff_t>(part.size());
      }
    }
  };
  each([](std::span<double> part, auto at) { std::ranges::copy(part, at); });
  team.gather(values, piece);
  each([](std::span<double> part, auto at) { std::copy_n(at, part.size(), part.begin()); });
}

/// Sums over rows, in tasks of a fixed size so that they do not depend on the workers, nor on the
/// processes that share the tasks out: calls add_rows(rows, rows after, worker, sums[task]). Where
/// `sums` has too few for the tasks, `empty` is added.
template <class Sums, class AddRows>
void sum_in_tasks(Rows rows, const Sums& empty, Workers* workers, std::vector<Sums>& sums,
                  const AddRows& add_rows) {
  constexpr std::size_t kTaskRows = 4 * FactorBlock::kRows;
  const std::size_t tasks = (rows.size() + kTaskRows - 1) / kTaskRows;
  if (sums.size() < tasks) sums.resize(tasks, empty);
  Team& team = team_of(workers);
  const Share share = team.share(tasks);
  run_tasks(workers, share.size(), [&](std::size_t index, unsigned worker) {
    const std::size_t task = share.first + index;
    const Rows left = rows.subspan(task * kTaskRows);
    const Rows own = left.first(std::min(kTaskRows, left.size()));
    add_rows(own, left.subspan(own.size()), worker, sums[task]);
  });
  gather_tasks(team, std::span(sums).first(tasks));
}

/// The clipped sum over a batch of what fill(s, block, worker) leaves in the FactorBlock that it
/// returns: units of one row by products, persons, whose rows make up one vector, one at a time.
template <class Fill>
Result<ClippedSum> clipped_rows(const Dataset& data, const UnitRows& units,
                                const Privatizer& privatizer, Batch batch, Workers* workers,
                                const Fill& fill) {
  using Groups = std::vector<std::uint16_t>;
  if (units.single()) {
    const auto factors = [&](const Groups& s, Rows rows, Rows ahead,
                             unsigned worker) -> FactorBlock& {
      return fill(s, RowBlock{rows, ahead}, worker);
    };
    return privatizer.sum_products(data.s, std::move(batch), factors, workers);
  }
  const auto add_person = [&](const Groups& s, std::uint32_t person, std::span<double> out) {
    in_blocks(units.of(person), {}, [&](RowBlock rows) {
      const FactorBlock& block = fill(s, rows, 0);
      add_products(block, 1, out.first(block.parameters()));
      add_dense(block, out.subspan(block.parameters()));
    });
  };
  return privatizer.sum(data.s, std::move(batch), add_person);
}

}  // namespace dpfermi
