#pragma once

/// From a chosen table to what a model is trained and tested on.

#include <cstdint>
#include <optional>

#include "dpfermi/data/split.h"
#include "dpfermi/preprocess/pipeline.h"
#include "fingerprint.h"
#include "table_options.h"

namespace dpfermi::cli {

struct SplitChoice {
  double test_fraction = 0.25;  ///< 0: every row is for training
  std::uint64_t seed = 1;
};

struct PreparedData {
  RereadableFiles files;
  Table table;
  Pipeline pipeline;  ///< fitted on the training rows
  Dataset train;
  std::optional<Dataset> test;
};

/// Reads, splits, encodes. Which rows are held out follows from public columns; where none are
/// public, from row numbers and persons alone.
Result<PreparedData> prepare_data(const TableChoice& choice, const SplitChoice& split);

/// The largest norm of [x, 1] that the pipeline lets through where every number has bounds;
/// nothing otherwise.
std::optional<double> declared_norm(const Pipeline& pipeline);

}  // namespace dpfermi::cli
