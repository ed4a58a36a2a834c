#include "experiment/sweep_tables.h"

#include <fmt/format.h>

#include <set>

#include "artifact/sketch_file.h"
#include "core/text.h"
#include "data/checksum.h"
#include "workflow/load.h"

namespace dpfermi {
namespace {

/// What is read for a data set under a protocol, and which of its rows belong together.
Result<TableChoice> choose_table(const SweepJob& job, const std::string& name, Protocol protocol) {
  if (const auto own = job.own.find(name); own != job.own.end()) {
    if (protocol == Protocol::kHonest) return own->second;
    return usage_error(
        fmt::format("'{}' was never published; leave out the protocol as-published", name));
  }
  return registered_choice(name, std::string(to_string(protocol)), job.data_folder);
}

using BudgetKeys = std::map<std::pair<std::string, Protocol>, BudgetKey>;

Result<BudgetKey> budget_of(const SweepJob& job, const RunSpec& spec, const LedgerFile& ledger) {
  DPFERMI_ASSIGN(const TableChoice choice, choose_table(job, spec.dataset, spec.protocol));
  DPFERMI_ASSIGN(const RereadableFiles files, RereadableFiles::create(choice.request.files));
  DPFERMI_ASSIGN(auto sources, files.open());
  DPFERMI_ASSIGN(const Table table, read_table(std::move(sources), choice.request.schema));
  return find_budget(job.spending, files, table, ledger);
}

/// What runs are asked to cost is known beforehand: a sweep that a limit would end is not begun.
Status check_price(const SweepJob& job, const std::vector<RunSpec>& runs, const BudgetKeys& keys,
                   const LedgerFile& ledger) {
  std::set<std::string> kept;
  if (const auto results = read_results(job.out); job.resume && results) {
    for (const RunRecord& run : results->runs) kept.insert(run_key(run.spec));
  }
  for (const auto& [name, key] : keys) {
    double price = 0;
    for (const RunSpec& spec : runs) {
      if (std::pair(spec.dataset, spec.protocol) != name || kept.contains(run_key(spec))) continue;
      price += spec.epsilon.value_or(0);
    }
    DPFERMI_ASSIGN(const std::optional<BudgetState> budget, find_state(key, ledger));
    if (!budget || !budget->cap) continue;
    const double left = budget->left_epsilon().to_double(Rounding::kDown);
    if (price <= left) continue;
    return budget_refused(fmt::format(
        "the runs of this sweep would cost epsilon {:.6g} together, and budget '{}' has {} left; "
        "ask for fewer or smaller ones",
        price, printable(budget->name), shortest(left)));
  }
  return {};
}

Status check_table(const Schema& schema, const RunSpec& spec) {
  if (!schema.image.empty()) {
    return usage_error(fmt::format("'{}' is made of images; sweeps train on tables", spec.dataset));
  }
  if (schema.adjacency == spec.adjacency) return {};
  return usage_error(
      fmt::format("'{}' is to be read under adjacency {}, its runs under {}; sweeps "
                  "need public features: use adjacency sensitive",
                  spec.dataset, to_string(schema.adjacency), to_string(spec.adjacency)));
}

Result<std::string> table_digest(const TableRequest& request) {
  DPFERMI_ASSIGN(const Table table, read_table(request));
  DPFERMI_ASSIGN(const EncodedSplit encoded, encode_split(table, {all_rows(table), {}}));
  DPFERMI_ASSIGN(const std::string fingerprint,
                 public_fingerprint(encoded.train, encoded.pipeline.column_names()));
  return sha256_of_bytes(fingerprint + to_json(model_schema(table)));
}

}  // namespace

Result<std::map<std::string, std::string>> identify_tables(const SweepJob& job,
                                                           const std::vector<RunSpec>& runs) {
  std::map<std::string, std::string> digests;
  for (const RunSpec& spec : runs) {
    const std::string name = fmt::format("{}/{}", spec.dataset, to_string(spec.protocol));
    if (digests.contains(name)) continue;
    DPFERMI_ASSIGN(const TableChoice choice, choose_table(job, spec.dataset, spec.protocol));
    DPFERMI_TRY(check_table(choice.request.schema, spec));
    DPFERMI_ASSIGN(digests[name], table_digest(choice.request));
  }
  return digests;
}

TableProvider sweep_tables(const SweepJob& job) {
  return [&job](const std::string& name, Protocol protocol) -> Result<SourceTable> {
    DPFERMI_ASSIGN(const TableChoice choice, choose_table(job, name, protocol));
    DPFERMI_ASSIGN(Table table, read_table(choice.request));
    std::vector<std::uint32_t> blocks = split_blocks(table, choice.split);
    return SourceTable{std::move(table), std::move(blocks)};
  };
}

Result<LedgerFactory> charging_ledgers(const SweepJob& job, const std::vector<RunSpec>& runs) {
  DPFERMI_ASSIGN(const auto path, job.spending.path());
  DPFERMI_ASSIGN(const LedgerFile ledger, LedgerFile::open_or_create(path));
  auto keys = std::make_shared<BudgetKeys>();
  for (const RunSpec& spec : runs) {
    const std::pair name(spec.dataset, spec.protocol);
    if (keys->contains(name)) continue;
    DPFERMI_ASSIGN(BudgetKey key, budget_of(job, spec, ledger));
    keys->emplace(name, std::move(key));
  }
  DPFERMI_TRY(check_price(job, runs, *keys, ledger));
  return [path, keys](const RunSpec& spec) -> Result<std::unique_ptr<StepLedger>> {
    DPFERMI_ASSIGN(LedgerFile file, LedgerFile::open(path));
    DPFERMI_ASSIGN(RunLedger run,
                   RunLedger::start(std::move(file), keys->at({spec.dataset, spec.protocol})));
    return std::make_unique<RunLedger>(std::move(run));
  };
}

}  // namespace dpfermi
