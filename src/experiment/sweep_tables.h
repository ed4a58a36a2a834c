#pragma once

/// The tables of a sweep, and the ledgers that its runs are charged to.

#include <map>
#include <memory>
#include <utility>

#include "experiment/sweep.h"
#include "experiment/sweep_job.h"

namespace dpfermi {

/// Reads every table of the sweep once and refuses what no run could be made on. Returns a digest
/// of what is public in each and of how its columns are read, by "name/protocol".
Result<std::map<std::string, std::string>> identify_tables(const SweepJob& job,
                                                           const std::vector<RunSpec>& runs);

/// Registered data sets and the job's own tables.
TableProvider sweep_tables(const SweepJob& job);

/// A ledger for each run that books it in the file on disk. Reads every table of the sweep once, to
/// find out which budget pays.
Result<LedgerFactory> charging_ledgers(const SweepJob& job, const std::vector<RunSpec>& runs);

}  // namespace dpfermi
