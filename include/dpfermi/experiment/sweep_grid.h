#pragma once

/// Many models at once, beside the front door (dpfermi/dpfermi.h): methods x epsilons x weights x
/// splits, into a results folder. Its figures are exact, NOT private: for the holder of the data.

#include <map>
#include <string>

#include "dpfermi/dpfermi.h"

namespace dpfermi {

/// A table that a grid calls by a name.
struct SweepTable {
  std::string path;
  LoadOptions options;  ///< splits are the sweep's own: test_fraction and split_seed mean nothing
};

struct SweepSettings {
  std::map<std::string, SweepTable> tables;  ///< beside the registered data sets
  std::string data_folder;                   ///< of registered data sets
  bool resume = false;                       ///< go on with the folder's sweep
  unsigned workers = 1;
  /// Every run is charged to it and has secret noise. Null: research, where runs are recorded
  /// nowhere, each stands alone and noise is reproducible.
  LedgerFile* ledger = nullptr;
  std::string budget;  ///< that is charged; empty: that of the data
  Observer* observer = nullptr;
};

struct SweepOutcome {
  std::size_t runs = 0;
  std::size_t kept = 0;  ///< of them from before
  double seconds = 0;
};

/// Trains the models of a grid, JSON as docs/experiments.md has it, that the folder `out` lacks.
Result<SweepOutcome> sweep(const std::string& grid, const std::string& out,
                           const SweepSettings& settings = {});

}  // namespace dpfermi
