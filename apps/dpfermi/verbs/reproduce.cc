// dpfermi reproduce: the figures of the paper, with what the corrected method gives.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli.h"
#include "experiment/figures.h"
#include "experiment/sweep_job.h"
#include "flags/run_flags.h"
#include "print/sweep_report.h"
#include "terminal_observer.h"

namespace dpfermi::cli {
namespace {

struct ReproduceFlags {
  std::string figures, protocol;
  std::optional<std::uint32_t> splits;
  bool baselines = false;
  bool print = false;
  SweepJob job;
};

Status reproduce(const Context& context, const ReproduceFlags& flags) {
  SweepJob job = flags.job;
  DPFERMI_ASSIGN(job.grid, figure_grid(flags.figures));
  if (!flags.protocol.empty()) {
    DPFERMI_ASSIGN(const Protocol protocol, parse_protocol(flags.protocol));
    keep_protocol(job.grid, protocol);
  }
  if (flags.baselines) add_baselines(job.grid);
  if (flags.splits) job.grid.splits = *flags.splits;
  if (flags.print) {
    Context::print(to_json(job.grid) + "\n");
    return {};
  }
  job.command = context.command;
  TerminalObserver observer(context);
  DPFERMI_ASSIGN(const SweepOutcome outcome, run_sweep_job(observer, job));
  print_sweep(context, job, outcome);
  return {};
}

}  // namespace

void add_reproduce(CLI::App& app, Context& context) {
  const auto [verb, flags] = add_verb<ReproduceFlags>(
      app, context, "reproduce",
      "Train the models behind the paper's figures, on tables no rule was tuned on, or repaired",
      "  dpfermi reproduce adult-dp --splits 5 --out adult-dp\n"
      "  dpfermi reproduce all --out results --resume\n"
      "  dpfermi reproduce unseen --out unseen --resume\n"
      "  dpfermi reproduce repair --splits 5 --out repaired --resume\n"
      "  dpfermi reproduce adult-dp,adult-eo --baselines --protocol honest --out panels\n"
      "  dpfermi reproduce credit-card-eo --print > grid.json",
      reproduce);
  verb->add_option("figures", flags->figures,
                   fmt::format("One of {}, several with commas, or all of the paper's",
                               fmt::join(figure_names(), ", ")))
      ->required()
      ->type_name("FIGURES");
  verb->add_option(
          "--splits", flags->splits,
          "Splits, or repetitions of the published one (default 15; unseen: 10, 5 of other "
          "methods; repair: 15, 2 to 5 of other tables and methods)")
      ->check(whole_number());
  verb->add_flag("--baselines", flags->baselines,
                 "With every other method that fits; 'dpfermi methods' lists them");
  verb->add_option("--protocol", flags->protocol, "Only honest or only as-published");
  verb->add_flag("--print", flags->print, "Print the grid, for sweep --config, and stop");
  verb->add_option("--data-dir", flags->job.data_folder,
                   "Folder of data sets (default $DPFERMI_DATA, the cache)");
  add_sweep_flags(*verb, flags->job);
}

}  // namespace dpfermi::cli
