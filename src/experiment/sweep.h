#pragma once

/// Runs a grid: one run a thread, every run single-threaded, so that records do not depend on how
/// many threads there are or on how often the sweep was interrupted.

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "core/team.h"
#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger.h"
#include "experiment/run_record.h"
#include "experiment/run_spec.h"
#include "experiment/run_store.h"
#include "experiment/split_data.h"

namespace dpfermi {

/// The ledger of one run; called from the thread that runs it.
using LedgerFactory = std::function<Result<std::unique_ptr<StepLedger>>(const RunSpec&)>;

/// Each run stands alone: nothing is recorded, nothing is added up.
LedgerFactory research_ledgers();

/// Trains and measures. Noise is secret where the spec has no seed. The curve of training is kept
/// for split 0. `abandon` is asked during training: true ends the run with an error.
Result<RunRecord> run_experiment(
    const RunSpec& spec, const SplitData& data, StepLedger& ledger,
    const std::function<bool()>& abandon = [] { return false; });

struct SweepProgress {
  std::size_t done = 0;   ///< runs that are kept, those of earlier attempts included
  std::size_t total = 0;  ///< of the grid
  std::size_t here = 0;   ///< of this attempt
};

struct SweepOptions {
  unsigned workers = 1;
  TableProvider tables;
  LedgerFactory ledgers = research_ledgers();
  /// Called after every run, one call at a time.
  std::function<void(const SweepProgress&)> progress;
  /// Asked before every run, from any thread: true ends the sweep when those under way are done.
  std::function<bool()> stop = [] { return false; };
  /// Whether these are abandoned instead: for runs that cost nothing. What was charged is finished.
  bool abandon_runs = false;
  /// The processes that share the runs out, `workers` at a time each; the leader keeps them.
  Team* team = &Team::alone();
};

/// Runs what the store does not have yet, split after split, so that an unfinished sweep has whole
/// curves of the first splits; then finishes the store. A run that fails leaves the others alone;
/// the error names the first of them. A budget that refuses ends the sweep, and so does `stop`.
/// `store`: the leader's; null at every other process.
Status run_sweep(const std::vector<RunSpec>& runs, std::uint64_t seed, const SweepOptions& options,
                 RunStore* store);

}  // namespace dpfermi
