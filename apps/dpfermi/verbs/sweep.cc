// dpfermi sweep: many runs, one results folder.

#include <fmt/format.h>

#include <filesystem>

#include "cli.h"
#include "core/file.h"
#include "core/text.h"
#include "experiment/sweep_job.h"
#include "flags/run_flags.h"
#include "flags/table_options.h"
#include "print/sweep_report.h"
#include "terminal_observer.h"

namespace dpfermi::cli {
namespace {

struct SweepFlags {
  TableOptions table;
  SweepJob job;
  std::string config;
  std::string title, methods = "auto,coin", fairness = "dp", protocols = "honest";
  std::string epsilons = "1", lambdas, targets, hidden, model;
  std::optional<double> delta;
  std::optional<std::uint32_t> splits;
  std::optional<std::uint32_t> least_group;
  std::optional<std::uint64_t> seed;
};

Result<std::vector<double>> numbers_of(const std::string& text, const std::string& flag) {
  std::vector<double> numbers;
  for (const std::string& piece : split_list(text)) {
    const auto number = parse_number(piece);
    if (!number) {
      return usage_error(
          fmt::format("{} takes numbers such as 0.5,1,2, not '{}'", flag, printable(text)));
    }
    numbers.push_back(*number);
  }
  return numbers;
}

/// The data sets of the flags; a file becomes one that carries its name.
Result<std::vector<std::string>> datasets_of(const SweepFlags& flags, SweepJob& job) {
  std::vector<std::string> names = flags.table.datasets();
  if (!names.empty()) {
    if (!flags.table.plain()) {
      return usage_error(
          "a known data set is read as it is registered; leave out the flags about its columns, or "
          "name its file instead of --dataset");
    }
    return names;
  }
  DPFERMI_ASSIGN(const TableChoice choice, flags.table.resolve());
  if (choice.request.files.front() == "-") {
    return usage_error("a sweep may be resumed, standard input not; save it to a file first");
  }
  const std::string name = std::filesystem::path(choice.title).stem().string();
  job.own.emplace(name, choice);
  return std::vector{name};
}

Result<GridBlock> block_of(const SweepFlags& flags, SweepJob& job) {
  GridBlock block;
  DPFERMI_ASSIGN(block.datasets, datasets_of(flags, job));
  block.protocols.clear();
  for (const std::string& name : split_list(flags.protocols)) {
    DPFERMI_ASSIGN(const Protocol protocol, parse_protocol(name));
    block.protocols.push_back(protocol);
  }
  block.notions.clear();
  for (const std::string& name : split_list(flags.fairness)) {
    DPFERMI_ASSIGN(const FairnessNotion notion, parse_fairness_notion(name));
    block.notions.push_back(notion);
  }
  DPFERMI_ASSIGN(const std::optional<Adjacency> adjacency, flags.table.adjacency());
  block.adjacency = adjacency.value_or(block.adjacency);
  block.methods = split_list(flags.methods);
  DPFERMI_ASSIGN(block.epsilons, numbers_of(flags.epsilons, "--epsilons"));
  DPFERMI_ASSIGN(block.lambdas, numbers_of(flags.lambdas, "--lambdas"));
  DPFERMI_ASSIGN(block.targets, numbers_of(flags.targets, "--targets"));
  block.delta = flags.delta;
  DPFERMI_ASSIGN(const std::vector<double> widths, numbers_of(flags.hidden, "--hidden"));
  for (const double width : widths) block.hidden.push_back(static_cast<std::size_t>(width));
  DPFERMI_ASSIGN(block.boosted, asks_for_trees(flags.model, "a sweep"));
  return block;
}

Status sweep(const Context& context, const SweepFlags& flags) {
  SweepJob job = flags.job;
  job.data_folder = flags.table.data_folder();
  if (!flags.config.empty()) {
    DPFERMI_ASSIGN(const std::string text, read_text_file(flags.config));
    auto grid = parse_grid(text);
    if (!grid) {
      return usage_error(fmt::format("--config {}: {}", flags.config, grid.error().message));
    }
    job.grid = *std::move(grid);
    if (flags.table.has_file()) DPFERMI_TRY(datasets_of(flags, job));
  } else {
    DPFERMI_ASSIGN(GridBlock block, block_of(flags, job));
    job.grid.title = fmt::format("{}", fmt::join(block.datasets, ", "));
    job.grid.blocks.push_back(std::move(block));
  }
  if (!flags.title.empty()) job.grid.title = flags.title;
  if (flags.splits) job.grid.splits = *flags.splits;
  if (flags.least_group) job.grid.least_group = *flags.least_group;
  if (flags.seed) job.grid.seed = *flags.seed;
  job.command = context.command;
  job.team = context.team;
  TerminalObserver observer(context);
  DPFERMI_ASSIGN(const SweepOutcome outcome, run_sweep_job(observer, job));
  if (context.team->leads()) print_sweep(context, job, outcome);
  return {};
}

void add_grid_flags(CLI::App& verb, SweepFlags& flags) {
  const std::string where = "Grid (every combination is run)";
  verb.add_option("--config", flags.config,
                  "A file with the grid instead, as printed by: reproduce --print")
      ->group(where);
  verb.add_option("--methods", flags.methods,
                  "auto, dp-fermi, sketch, fermi, coin, ...; 'dpfermi methods' lists them all")
      ->capture_default_str()
      ->group(where);
  verb.add_option("--fairness", flags.fairness, printable_list(brief_notions()))
      ->capture_default_str()
      ->group(where);
  verb.add_option("--epsilons", flags.epsilons, "Privacy: 0.5,1,3")
      ->capture_default_str()
      ->group(where);
  verb.add_option("--lambdas", flags.lambdas, "Weights of the fairness term: 0,1,2,4")
      ->group(where);
  verb.add_option("--targets", flags.targets, "Or the largest violation: 0.02,0.05")->group(where);
  verb.add_option("--delta", flags.delta, "Of every run (default 1/n^2)")->group(where);
  verb.add_option("--hidden", flags.hidden, "Widths of hidden layers: 64,32")->group(where);
  verb.add_option("--model", flags.model,
                  "boosted: gradient-boosted trees where a method takes them (erm, repair, auto)")
      ->group(where);
  verb.add_option("--protocols", flags.protocols, "honest, as-published")
      ->capture_default_str()
      ->group(where);
  verb.add_option("--splits", flags.splits, "Splits into training and test rows (default 5)")
      ->check(whole_number())
      ->group(where);
  verb.add_option("--least-group", flags.least_group,
                  "Groups of fewer training units take part in no comparison (default 0)")
      ->check(whole_number())
      ->group(where);
  verb.add_option("--seed", flags.seed, "Of splits and of the noise of research sweeps (default 1)")
      ->check(whole_number())
      ->group(where);
  verb.add_option("--title", flags.title, "For people")->group(where);
}

}  // namespace

void add_sweep(CLI::App& app, Context& context) {
  const auto [verb, flags] = add_verb<SweepFlags>(
      app, context, "sweep", "Train many models: methods x epsilons x lambdas x splits",
      "  dpfermi sweep people.csv --target income --sensitive sex --sensitive-values sex=f,m \\\n"
      "      --epsilons 0.5,1,3 --lambdas 0,1,2,4 --splits 5 --out results\n"
      "  dpfermi sweep --dataset adult,credit-card --methods dp-fermi,fermi,erm "
      "--fairness dp,eo \\\n"
      "      --epsilons 1 --lambdas 0,1,2,4 --out results\n"
      "  dpfermi sweep --config grid.json --out results --resume",
      sweep);
  flags->table.add_to(*verb);
  add_grid_flags(*verb, *flags);
  add_sweep_flags(*verb, flags->job);
  const std::string where = "Ledger";
  verb->add_flag("--charge", flags->job.charge,
                 "Book every run in the ledger, with secret noise (default: research)")
      ->group(where);
  verb->add_option("--budget", flags->job.spending.budget, "With --charge: which budget pays")
      ->group(where);
  verb->add_option("--ledger", flags->job.spending.ledger, "With --charge: the ledger file")
      ->group(where);
}

}  // namespace dpfermi::cli
