#pragma once

/// A table that was read, split and encoded once: its encoded rows, in a file that is mapped. A
/// pack is a framed file (artifact/framed_file.h) whose numbers are arrays, each of which begins at
/// a multiple of 64 bytes: of the training rows, then of the test rows, the inputs as HybridMatrix
/// has them, classes, groups, persons, weights. Rows of an array lie one after the other, all of
/// one size: any range of rows is a range of bytes. Sizes follow from public quantities, so that
/// the size of the file reveals nothing about s. The format is that of this kind of machine
/// (little-endian).
///
/// A pack holds protected values. Only its owner may read it.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "data/table_choice.h"
#include "preprocess/pipeline.h"

namespace dpfermi {

struct TablePack {
  std::string title;  ///< of the table
  Table table;        ///< without rows: schema, names of features, classes, groups, counts
  Pipeline pipeline;
  SplitChoice split;
  /// Which data these are, before a ledger's key; empty: the pack has no protected values to charge
  /// for.
  std::vector<std::string> digests;
  Dataset train;
  std::optional<Dataset> test;
};

/// Refuses a table whose groups are not declared: they follow from the schema.
Status write_pack(const TablePack& pack, const std::filesystem::path& path);

/// Inputs stay in the file; the rest of a row, 8 bytes without persons and weights, moves to
/// memory. Refuses whatever is not a whole, undamaged pack whose rows fit its description.
Result<TablePack> open_pack(const std::filesystem::path& path);

}  // namespace dpfermi
