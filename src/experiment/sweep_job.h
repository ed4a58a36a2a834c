#pragma once

/// A grid of runs, from its tables to a results folder. `sweep` and `reproduce` run it.

#include <map>
#include <string>

#include "core/team.h"
#include "data/table_choice.h"
#include "dpfermi/core/observer.h"
#include "dpfermi/experiment/sweep_grid.h"
#include "experiment/grid.h"
#include "workflow/spending.h"

namespace dpfermi {

struct SweepJob {
  Grid grid;
  std::map<std::string, TableChoice> own;  ///< tables that no registry knows, by name
  std::string data_folder;                 ///< of registered data sets
  std::string out;                         ///< the results folder
  bool resume = false;
  unsigned workers = 1;
  bool charge = false;  ///< books every run; noise is then secret
  SpendingChoice spending;
  std::string command;  ///< kept with the results, for people
  /// The processes that share the runs out. The leader alone writes.
  Team* team = &Team::alone();
};

/// Runs what is missing in the results folder.
Result<SweepOutcome> run_sweep_job(Observer& observer, const SweepJob& job);

}  // namespace dpfermi
