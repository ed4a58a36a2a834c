#pragma once

/// Honest splits: rows that belong together stay on one side. Which rows those are follows from ids
/// and public columns only, never from s.

#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "data/table.h"
#include "dpfermi/core/result.h"

namespace dpfermi {

struct Split {
  std::vector<std::uint32_t> train;  ///< row numbers, ascending
  std::vector<std::uint32_t> test;
};

/// What keeps two rows together. Both hold by default; switching them off reproduces published
/// protocols.
struct SplitRule {
  bool by_person = true;  ///< rows with the same id
  /// Rows with identical features and label, up to ten of them (more are no copies), where no id
  /// column identifies persons.
  bool by_duplicate = true;
};

/// One number per row; rows with the same number must not be separated. Two persons with identical
/// rows are two persons.
std::vector<std::uint32_t> split_blocks(const Table& table, SplitRule rule);

/// One number per row that equal rows share: features and label, never s. Other rows share one with
/// a probability of about 2^-64.
std::vector<std::uint64_t> public_row_hashes(const Table& table);

/// The same by encoded rows: those of a person or, without ids, identical inputs and labels.
std::vector<std::uint32_t> split_blocks(const Dataset& data);

/// The fold of every row, in [0, folds): blocks in random order go to the fold that has the fewest
/// rows. Requires folds >= 1.
std::vector<std::uint32_t> deal_folds(std::span<const std::uint32_t> blocks, std::size_t folds,
                                      std::uint64_t seed);

/// A random test set of about `test_fraction` of the rows: blocks in random order go to the test
/// side until it holds round(test_fraction * n) rows. Requires 0 < test_fraction < 1. Fails when
/// one side would be empty.
Result<Split> split_rows(std::span<const std::uint32_t> blocks, double test_fraction,
                         std::uint64_t seed);

}  // namespace dpfermi
