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
  /// 0: every row is for training. Open: a quarter where features are public, else 0.
  std::optional<double> test_fraction;
  double fraction(Adjacency adjacency) const {
    return test_fraction.value_or(features_are_public(adjacency) ? 0.25 : 0);
  }
  std::uint64_t seed = 1;

  /// `fraction_help` says what is the default.
  void add_to(CLI::App& verb, const std::string& fraction_help);
};

/// Refuses a share that is none, and rows held out where records are protected.
Status check_split(const SplitChoice& split, Adjacency adjacency);

struct PreparedData {
  RereadableFiles files;
  Table table;
  Pipeline pipeline;  ///< fitted on the training rows
  Dataset train;
  std::optional<Dataset> test;
};

/// Reads, splits, encodes. Which rows are held out follows from public columns. Where records are
/// protected none may be held out, and none may be left out for a missing value where their number
/// is taken for public (replace-record): one record would move others, or the number itself.
Result<PreparedData> prepare_data(const TableChoice& choice, const SplitChoice& split);

/// Refuses rows that were left out for a missing value where their number is taken for public.
Status check_complete(const Table& table);

/// The largest norm of [x, 1] that the pipeline lets through where every number has bounds;
/// nothing otherwise.
std::optional<double> declared_norm(const Pipeline& pipeline);

}  // namespace dpfermi::cli
