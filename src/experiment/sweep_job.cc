#include "experiment/sweep_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>
#include <vector>

#include "core/stopwatch.h"
#include "core/text.h"
#include "dpfermi/core/version.h"
#include "experiment/run_store.h"
#include "experiment/sweep_tables.h"

namespace dpfermi {
namespace {

Status check_sweep_job(const SweepJob& job) {
  if (job.out.empty()) return usage_error("name the folder for the results with `out`");
  if (job.spending.research ||
      (!job.charge && (job.spending.ledger || !job.spending.budget.empty()))) {
    return usage_error("`ledger` and `budget` belong to `charge`; add it");
  }
  if (job.charge && job.team->size() > 1) {
    return usage_error("a sweep that is charged is for one process; start a single one");
  }
  return {};
}

/// Fails everywhere unless every process has the leader's runs and rows.
Status check_same_sweep(const SweepJob& job, const std::vector<RunSpec>& runs,
                        const SweepTables& tables) {
  if (job.team->size() == 1) return {};
  std::vector<std::string> keys = {std::to_string(job.grid.seed)};
  for (const RunSpec& spec : runs) keys.push_back(run_key(spec));
  DPFERMI_TRY(check_alike(*job.team, fmt::format("{}", fmt::join(keys, "\n")), "runs"));
  return check_alike(*job.team, tables.exact, "rows");
}

}  // namespace

Result<SweepOutcome> run_sweep_job(Observer& observer, const SweepJob& job) {
  const Stopwatch watch;
  DPFERMI_TRY(check_sweep_job(job));
  DPFERMI_ASSIGN(const std::vector<RunSpec> runs, expand(job.grid, !job.charge));
  DPFERMI_ASSIGN(SweepTables tables, identify_tables(job, runs));
  SweepOptions options;
  options.workers = job.workers;
  options.tables = sweep_tables(job);
  options.ledgers = std::move(tables.ledgers);
  options.team = job.team;
  DPFERMI_TRY(check_same_sweep(job, runs, tables));
  std::optional<RunStore> store;
  if (job.team->leads()) {
    DPFERMI_ASSIGN(
        RunStore opened,
        RunStore::open(job.out,
                       {job.grid.title, job.charge ? kChargedStamp : kResearchStamp, job.command,
                        std::string(version()), job.grid, std::move(tables.digests)},
                       job.resume));
    store.emplace(std::move(opened));
  }
  const std::size_t kept = store ? store->size() : 0;
  observer.note(fmt::format("{} to train, {} kept from before, {} at a time",
                            counted(runs.size() - kept, "model"), with_thousands(kept),
                            job.workers));
  ObservedTask task(observer, {"sweep", /*stops=*/true});
  options.progress = [&](const SweepProgress& now) {
    task.advance(static_cast<double>(now.here), static_cast<double>(runs.size() - kept));
  };
  options.stop = [&] { return observer.interrupted(); };
  options.abandon_runs = !job.charge;
  DPFERMI_TRY(run_sweep(runs, job.grid.seed, options, store ? &*store : nullptr));
  return SweepOutcome{runs.size(), kept, watch.seconds()};
}

}  // namespace dpfermi
