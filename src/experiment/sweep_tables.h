#pragma once

/// The tables of a sweep, and the ledgers that its runs are charged to.

#include <map>
#include <memory>
#include <utility>

#include "experiment/sweep.h"
#include "experiment/sweep_job.h"

namespace dpfermi {

struct SweepTables {
  /// Of what is public in each table and of how its columns are read, by "name/protocol".
  std::map<std::string, std::string> digests;
  /// Digests of all of their rows, s included: exact, for the processes of one sweep to compare.
  /// Empty where there is one process.
  std::string exact;
  LedgerFactory ledgers = research_ledgers();  ///< of a charged sweep: each books its run on disk
};

/// Reads every table of the sweep once and refuses what no run could be made on, and what a limit
/// of the budget that pays would end.
Result<SweepTables> identify_tables(const SweepJob& job, const std::vector<RunSpec>& runs);

/// Registered data sets and the job's own tables.
TableProvider sweep_tables(const SweepJob& job);

}  // namespace dpfermi
