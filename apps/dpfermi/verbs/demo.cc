// dpfermi demo: the whole job on data that is made on the spot. The same code as `train`.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "cli.h"
#include "core/file.h"
#include "core/text.h"
#include "data/census.h"
#include "data/registry.h"
#include "experiment/sweep_job.h"
#include "print/training_report.h"
#include "report/report_file.h"
#include "terminal_observer.h"
#include "workflow/training_run.h"

namespace dpfermi::cli {
namespace {

namespace fs = std::filesystem;

Status make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return failed(fmt::format("cannot make the folder {}: {}; name another with --folder",
                              folder.string(), error.message()));
  }
  if (fs::exists(folder / "ledger.db", error) && !fs::exists(folder / "census.csv", error)) {
    return usage_error(fmt::format("--folder {}: holds a ledger that no demo wrote; name another",
                                   folder.string()));
  }
  // The census is synthetic: what an earlier demo spent on it does not count.
  for (const char* file : {"ledger.db", "ledger.db.key"}) fs::remove(folder / file, error);
  return {};
}

Result<TrainingJob> make_job(const fs::path& folder, const CensusSpec& spec) {
  TrainingJob job;
  const fs::path table = folder / "census.csv";
  DPFERMI_TRY(
      write_file_atomically(table, [&](std::ostream& out) { return write_census(spec, out); }));
  job.choice.request.files = {table.string()};
  job.choice.request.schema = census_schema(spec);
  job.choice.title = "synthetic census";
  job.spending.ledger = (folder / "ledger.db").string();
  job.out = (folder / "census.model").string();
  return job;
}

/// The same model without regard to fairness, for comparison.
Result<TrainingOutcome> run_unfair(const Context& context, TrainingJob job) {
  job.request.method = Method::kErm;
  job.out = job.out + ".unfair";
  TerminalObserver observer(context);
  return run_training(observer, job);
}

/// The trade-off around that model: a small sweep of the same census, as a page.
Result<fs::path> write_trade_off(const Context& context, const TrainingJob& job,
                                 const fs::path& folder) {
  SweepJob sweep;
  sweep.grid = {.title = "A synthetic census", .splits = 2, .blocks = {}};
  sweep.grid.blocks.push_back({.datasets = {"census"},
                               .methods = {"dp-fermi", "fermi", "erm"},
                               .epsilons = {0.5, 1},
                               .lambdas = {0, 1, 2, 4, 8}});
  sweep.own.emplace("census", job.choice);
  sweep.out = (folder / "results").string();
  sweep.workers = std::max(1U, std::thread::hardware_concurrency());
  std::error_code error;
  fs::remove_all(sweep.out, error);
  sweep.command = context.command;
  Context silent = context;
  silent.quiet = true;
  TerminalObserver observer(silent);
  DPFERMI_TRY(run_sweep_job(observer, sweep));
  fs::path page = folder / "report.html";
  DPFERMI_TRY(write_report(sweep.out, page));
  return page;
}

Status demo(const Context& context, const std::string& given) {
  const fs::path folder = given.empty() ? data_folders("").back() / "demo" : fs::path(given);
  DPFERMI_TRY(make_folder(folder));
  const CensusSpec spec;
  DPFERMI_ASSIGN(const TrainingJob job, make_job(folder, spec));
  DPFERMI_ASSIGN(const TrainingOutcome unfair, run_unfair(context, job));
  TerminalObserver observer(context);
  DPFERMI_ASSIGN(const TrainingOutcome outcome, run_training(observer, job));
  if (!context.json) {
    Context::print(fmt::format(
        "A synthetic census of {} persons, made on the spot (dpfermi datasets generate). Their "
        "group is protected.\nThe census is synthetic, so exact figures are shown.\n"
        "Without regard to fairness, groups differ by {:.4f} in how often they get the favourable "
        "prediction,\nat an error of {:.4f} (test rows). Fair and private instead:\n\n",
        with_thousands(spec.rows),
        unfair.test->fairness->violation[FairnessNotion::kDemographicParity], unfair.test->error));
  }
  print_outcome(context, outcome, Figures::kExact, Detail::kShort);
  DPFERMI_ASSIGN(const fs::path page, write_trade_off(context, job, folder));
  if (!context.json) {
    Context::print(fmt::format("report     {} (open it in a browser)\n", page.string()));
  }
  return {};
}

}  // namespace

void add_demo(CLI::App& app, Context& context) {
  const auto [verb, folder] = add_verb<std::string>(
      app, context, "demo", "Train a fair and private model on a synthetic census",
      "  dpfermi demo\n  dpfermi demo --json", demo);
  verb->add_option("--folder", *folder,
                   "Where to put table, ledger, model and report (default: the cache)");
}

}  // namespace dpfermi::cli
