#include "sweep_tables.h"

#include <fmt/format.h>

#include <set>

namespace dpfermi::cli {
namespace {

/// What is read for a data set under a protocol, and which of its rows belong together.
Result<TableChoice> choose(const SweepJob& job, const std::string& name, Protocol protocol) {
  if (const auto own = job.own.find(name); own != job.own.end()) {
    if (protocol == Protocol::kHonest) return own->second;
    return usage_error(
        fmt::format("'{}' was never published; leave out the protocol as-published", name));
  }
  return registered_choice(name, std::string(to_string(protocol)), job.data_folder);
}

using BudgetKeys = std::map<std::pair<std::string, Protocol>, BudgetKey>;

Result<BudgetKey> budget_of(const SweepJob& job, const RunSpec& spec, const LedgerFile& ledger) {
  DPFERMI_ASSIGN(const TableChoice choice, choose(job, spec.dataset, spec.protocol));
  DPFERMI_ASSIGN(const RereadableFiles files, RereadableFiles::create(choice.request.files));
  DPFERMI_ASSIGN(auto sources, files.open());
  DPFERMI_ASSIGN(const Table table, read_table(std::move(sources), choice.request.schema));
  return find_budget(job.spending, files, table, ledger);
}

}  // namespace

Status check_tables(const SweepJob& job, const std::vector<RunSpec>& runs) {
  std::set<std::pair<std::string, Protocol>> known;
  for (const RunSpec& spec : runs) {
    if (!known.emplace(spec.dataset, spec.protocol).second) continue;
    DPFERMI_ASSIGN(const TableChoice choice, choose(job, spec.dataset, spec.protocol));
    if (!choice.request.schema.image.empty()) {
      return usage_error(
          fmt::format("'{}' is made of images; sweeps train on tables", spec.dataset));
    }
  }
  return {};
}

TableProvider sweep_tables(const SweepJob& job) {
  return [&job](const std::string& name, Protocol protocol) -> Result<SourceTable> {
    DPFERMI_ASSIGN(const TableChoice choice, choose(job, name, protocol));
    DPFERMI_ASSIGN(Table table, read_table(choice.request));
    std::vector<std::uint32_t> blocks = split_blocks(table, choice.split);
    return SourceTable{std::move(table), std::move(blocks)};
  };
}

Result<LedgerFactory> charging_ledgers(const SweepJob& job, const std::vector<RunSpec>& runs) {
  DPFERMI_ASSIGN(const auto path, ledger_path(job.spending.ledger));
  DPFERMI_ASSIGN(const LedgerFile ledger, LedgerFile::open_or_create(path));
  auto keys = std::make_shared<BudgetKeys>();
  for (const RunSpec& spec : runs) {
    const std::pair name(spec.dataset, spec.protocol);
    if (keys->contains(name)) continue;
    DPFERMI_ASSIGN(BudgetKey key, budget_of(job, spec, ledger));
    keys->emplace(name, std::move(key));
  }
  return [path, keys](const RunSpec& spec) -> Result<std::unique_ptr<StepLedger>> {
    DPFERMI_ASSIGN(LedgerFile file, LedgerFile::open(path));
    DPFERMI_ASSIGN(RunLedger run,
                   RunLedger::start(std::move(file), keys->at({spec.dataset, spec.protocol})));
    return std::make_unique<RunLedger>(std::move(run));
  };
}

}  // namespace dpfermi::cli
