#pragma once

/// Packs: a table read, split and encoded once, for many runs.

#include <cstdint>
#include <string>

#include "artifact/table_pack.h"

namespace dpfermi {

struct PackJob {
  TableChoice choice;
  SplitChoice split;
  bool without_sensitive = false;  ///< leaves the protected columns out
  std::string out;
};

struct PackOutcome {
  std::size_t train_rows = 0;
  std::size_t test_rows = 0;
  std::size_t columns = 0;  ///< inputs
  std::uint64_t bytes = 0;
  bool with_groups = false;
};

/// Nothing is charged: the pack stays with the holder of the table.
Result<PackOutcome> pack_table(const PackJob& job);

/// The pack in `path` as a table to train on.
Result<TableChoice> packed_choice(const std::string& path);

/// Takes the split from the pack of `choice`, if it has one. Refuses another one, unless it is
/// `usual`: nothing was said about it.
Status settle_split(const TableChoice& choice, const SplitChoice& usual, SplitChoice& split);

}  // namespace dpfermi
