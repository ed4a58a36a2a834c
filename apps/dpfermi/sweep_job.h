#pragma once

/// A grid of runs, from flags to a results folder. `sweep` and `reproduce` run it.

#include <map>
#include <string>

#include "cli.h"
#include "dpfermi/experiment/grid.h"
#include "spending.h"
#include "table_options.h"

namespace dpfermi::cli {

struct SweepJob {
  Grid grid;
  std::map<std::string, TableChoice> own;  ///< tables that no registry knows, by name
  std::string data_folder;                 ///< of registered data sets
  std::string out;                         ///< the results folder
  bool resume = false;
  unsigned workers = 1;
  bool charge = false;  ///< books every run; noise is then secret
  SpendingChoice spending;
};

/// Adds what both verbs share: where results go, how many runs at a time.
void add_sweep_flags(CLI::App& verb, SweepJob& job);

struct SweepOutcome {
  std::size_t runs = 0;
  std::size_t kept = 0;  ///< of them from before
  double seconds = 0;
};

/// Runs what is missing in the results folder, with progress on stderr.
Result<SweepOutcome> run_sweep_job(const Context& context, const SweepJob& job);

void print_sweep(const Context& context, const SweepJob& job, const SweepOutcome& outcome);

}  // namespace dpfermi::cli
