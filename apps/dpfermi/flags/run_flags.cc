#include "flags/run_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "cli.h"
#include "core/text.h"

namespace dpfermi::cli {

void add_split_flags(CLI::App& verb, SplitChoice& split, const std::string& fraction_help) {
  const std::string where = "Test rows";
  verb.add_option("--test-fraction", split.test_fraction, fraction_help)->group(where);
  verb.add_option("--split-seed", split.seed, "Which rows those are")
      ->check(whole_number())
      ->capture_default_str()
      ->group(where);
}

void add_spending_flags(CLI::App& verb, SpendingChoice& spending) {
  const std::string where = "Ledger";
  verb.add_option("--budget", spending.budget, "The budget to charge (default: that of the data)")
      ->group(where);
  verb.add_flag("--part-of-budget", spending.part_of_budget,
                "The rows are about people of --budget and may be a part of its data: charge it in "
                "full")
      ->group(where);
  verb.add_option("--ledger", spending.ledger,
                  "The ledger file; by default $DPFERMI_LEDGER, else "
                  "${XDG_STATE_HOME:-~/.local/state}/dpfermi/ledger.db")
      ->group(where);
  verb.add_flag("--research", spending.research,
                "Record the charge nowhere: for experiments whose outcome stays in the house")
      ->group(where);
  verb.add_flag("--rehearsal", spending.rehearsal,
                "Declare that the data are synthetic: then --seed may spend from a budget with a "
                "limit; the ledger and the statement say so")
      ->group(where);
}

void add_seed(CLI::App& verb, std::optional<std::uint64_t>& seed, const std::string& group) {
  verb.add_option("--seed", seed, "Reproducible noise: for tests, NOT private")
      ->check(whole_number())
      ->group(group);
}

void add_force(CLI::App& verb, bool& force) {
  verb.add_flag("--force", force, "Overwrite --out even if it holds what was paid for");
}

Result<bool> asks_for_trees(const std::string& model, const char* whose) {
  if (model.empty() || model == "boosted") return !model.empty();
  return usage_error(fmt::format("--model of {} is boosted, not '{}'", whose, printable(model)));
}

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

}  // namespace dpfermi::cli
