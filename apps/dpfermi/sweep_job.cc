#include "sweep_job.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "dpfermi/core/stopwatch.h"
#include "dpfermi/core/text.h"
#include "dpfermi/core/version.h"
#include "dpfermi/experiment/run_store.h"
#include "interrupt.h"
#include "progress.h"
#include "sweep_tables.h"

namespace dpfermi::cli {
namespace {

Status check_job(const SweepJob& job) {
  if (job.out.empty()) return usage_error("name the folder for the results with --out");
  if (job.spending.research ||
      (!job.charge && (job.spending.ledger || !job.spending.budget.empty()))) {
    return usage_error("--ledger and --budget belong to --charge; add it");
  }
  return {};
}

}  // namespace

void add_sweep_flags(CLI::App& verb, SweepJob& job) {
  const std::string where = "Sweep";
  job.workers = std::max(1U, std::thread::hardware_concurrency());
  verb.add_option("--out", job.out, "The folder for the results")->group(where);
  verb.add_flag("--resume", job.resume,
                "Go on with an interrupted sweep in --out; repeat the other flags")
      ->group(where);
  verb.add_option("--workers", job.workers, "Runs at a time; results do not depend on it")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str()
      ->group(where);
}

Result<SweepOutcome> run_sweep_job(const Context& context, const SweepJob& job) {
  const Stopwatch watch;
  DPFERMI_TRY(check_job(job));
  DPFERMI_ASSIGN(const std::vector<RunSpec> runs, expand(job.grid, !job.charge));
  DPFERMI_ASSIGN(auto tables, identify_tables(job, runs));
  SweepOptions options;
  options.workers = job.workers;
  options.tables = sweep_tables(job);
  if (job.charge) {
    DPFERMI_ASSIGN(options.ledgers, charging_ledgers(job, runs));
  }
  DPFERMI_ASSIGN(
      RunStore store,
      RunStore::open(job.out,
                     {job.grid.title, job.charge ? kChargedStamp : kResearchStamp, context.command,
                      std::string(version()), job.grid, std::move(tables)},
                     job.resume));
  const std::size_t kept = store.size();
  context.note(fmt::format("{} models to train, {} kept from before, {} at a time",
                           with_thousands(runs.size() - kept), with_thousands(kept), job.workers));
  {
    Progress progress(context, "sweep");
    options.progress = [&](const SweepProgress& now) {
      progress.update(static_cast<double>(now.here), static_cast<double>(runs.size() - kept));
    };
    options.stop = Interrupt::requested;
    const Interrupt interrupt;
    DPFERMI_TRY(run_sweep(runs, job.grid.seed, options, store));
  }
  return SweepOutcome{runs.size(), kept, watch.seconds()};
}

void print_sweep(const Context& context, const SweepJob& job, const SweepOutcome& outcome) {
  const char* stamp = job.charge ? kChargedStamp : kResearchStamp;
  const std::string folder = printable(job.out, SIZE_MAX);
  if (context.json) {
    const nlohmann::ordered_json json = {{"folder", folder},
                                         {"models", outcome.runs},
                                         {"kept_from_before", outcome.kept},
                                         {"stamp", stamp},
                                         {"seconds", outcome.seconds}};
    Context::print(json.dump(2) + "\n");
    return;
  }
  const std::string kept =
      outcome.kept > 0 ? fmt::format(" ({} of them from before)", with_thousands(outcome.kept))
                       : "";
  Context::print(fmt::format("{} models{}, {:.1f} s; {}\nresults {}\n",
                             with_thousands(outcome.runs), kept, outcome.seconds, stamp, folder));
}

}  // namespace dpfermi::cli
