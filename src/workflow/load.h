#pragma once

/// From a chosen table to what a model is trained and tested on.

#include <cstdint>
#include <optional>

#include "data/table_choice.h"
#include "preprocess/pipeline.h"
#include "workflow/table_identity.h"

namespace dpfermi {

struct PreparedData {
  RereadableFiles files;
  Table table;
  Pipeline pipeline;  ///< fitted on the training rows
  Dataset train;
  std::optional<Dataset> test;
};

/// The two sides of a split, encoded by a pipeline that was fitted on the training rows.
struct EncodedSplit {
  Pipeline pipeline;
  Dataset train;
  std::optional<Dataset> test;  ///< nothing: no row is held out
};
Result<EncodedSplit> encode_split(const Table& table, const Split& split);

/// The same by a pipeline that was settled before.
Result<EncodedSplit> encode_split(const Table& table, const Split& split, const Pipeline& pipeline);

/// Reads, splits, encodes. Which rows are held out follows from public columns. Where records are
/// protected none may be held out, and none may be left out for a missing value where their number
/// is taken for public (replace-record): one record would move others, or the number itself.
/// `pipeline`: how rows are encoded, where that was settled before; null: it is fitted to them.
/// `team`: the processes that each do this, and read one snapshot of a server.
Result<PreparedData> prepare_data(const TableChoice& choice, const SplitChoice& split,
                                  const Pipeline* pipeline = nullptr, Team& team = Team::alone());

/// The largest norm of [x, 1] that the pipeline lets through where every number has bounds;
/// nothing otherwise.
std::optional<double> declared_norm(const Pipeline& pipeline);

}  // namespace dpfermi
