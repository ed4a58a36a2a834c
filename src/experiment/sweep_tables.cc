#include "experiment/sweep_tables.h"

#include <fmt/format.h>

#include <set>
#include <span>

#include "artifact/sketch_file.h"
#include "artifact/table_pack.h"
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
    // What a filter counts is known once a run is planned; there each is asked for when it begins.
    if (!budget || !budget->cap || budget->cap->filter) continue;
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

/// A pack is encoded as its one split asks.
Status check_pack(const TablePack& pack, const RunSpec& spec) {
  if (spec.split > 0 || !pack.test) {
    return usage_error(fmt::format(
        "the pack of '{}' has one split; ask for `splits` 1 and pack it with rows held out, or "
        "name the table",
        spec.dataset));
  }
  return {};
}

Result<std::string> table_digest(const Dataset& rows, const Pipeline& pipeline,
                                 const Table& table) {
  DPFERMI_ASSIGN(const std::string fingerprint, public_fingerprint(rows, pipeline.column_names()));
  return sha256_of_bytes(fingerprint + to_json(model_schema(table)));
}

/// Exact, not private.
Result<std::string> groups_digest(const Protected<std::vector<std::uint16_t>>& groups) {
  const auto bytes = std::as_bytes(std::span(ExactForHolder::read(groups)));
  return sha256_of_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// A table that runs are made on, before it is split.
struct IdentifiedTable {
  std::string digest;  ///< of what is public
  RereadableFiles files;
  Table table;
};

Result<IdentifiedTable> identify(const TableChoice& choice) {
  if (choice.pack) {
    const TablePack& pack = *choice.pack;
    DPFERMI_ASSIGN(std::string train, table_digest(pack.train, pack.pipeline, pack.table));
    DPFERMI_ASSIGN(const std::string test, table_digest(*pack.test, pack.pipeline, pack.table));
    DPFERMI_ASSIGN(std::string both, sha256_of_bytes(train + test));
    return IdentifiedTable{std::move(both), RereadableFiles::of_pack(pack.digests), pack.table};
  }
  DPFERMI_ASSIGN(RereadableFiles files, RereadableFiles::create(choice.request));
  DPFERMI_ASSIGN(Table table, files.read(choice.request.schema));
  DPFERMI_ASSIGN(const EncodedSplit encoded, encode_split(table, {all_rows(table), {}}));
  DPFERMI_ASSIGN(std::string digest, table_digest(encoded.train, encoded.pipeline, table));
  return IdentifiedTable{std::move(digest), std::move(files), std::move(table)};
}

/// What the processes of a sweep compare of a table: all of its rows, s included.
Result<std::string> exact_digest(const TableChoice& choice, const IdentifiedTable& found) {
  if (!choice.pack) {
    DPFERMI_ASSIGN(const std::string groups, groups_digest(found.table.groups));
    return found.digest + groups;
  }
  DPFERMI_ASSIGN(const std::string train, groups_digest(choice.pack->train.s));
  DPFERMI_ASSIGN(const std::string test, groups_digest(choice.pack->test->s));
  return found.digest + train + test;
}

/// Books every run in the ledger on disk.
LedgerFactory booking_ledgers(std::filesystem::path path, BudgetKeys keys) {
  return [path = std::move(path),
          keys = std::move(keys)](const RunSpec& spec) -> Result<std::unique_ptr<StepLedger>> {
    DPFERMI_ASSIGN(LedgerFile file, LedgerFile::open(path));
    DPFERMI_ASSIGN(RunLedger run,
                   RunLedger::start(std::move(file), keys.at({spec.dataset, spec.protocol})));
    return std::make_unique<RunLedger>(std::move(run));
  };
}

}  // namespace

Result<SweepTables> identify_tables(const SweepJob& job, const std::vector<RunSpec>& runs) {
  SweepTables tables;
  std::optional<LedgerFile> ledger;
  BudgetKeys keys;
  for (const RunSpec& spec : runs) {
    const std::string name = fmt::format("{}/{}", spec.dataset, to_string(spec.protocol));
    const auto own = job.own.find(spec.dataset);
    if (own != job.own.end() && own->second.pack) DPFERMI_TRY(check_pack(*own->second.pack, spec));
    if (tables.digests.contains(name)) continue;
    DPFERMI_ASSIGN(const TableChoice choice, choose_table(job, spec.dataset, spec.protocol));
    DPFERMI_TRY(check_table(choice.request.schema, spec));
    DPFERMI_ASSIGN(IdentifiedTable found, identify(choice));
    if (job.team->size() > 1) {
      DPFERMI_ASSIGN(const std::string exact, exact_digest(choice, found));
      tables.exact += exact;
    }
    tables.digests[name] = std::move(found.digest);
    if (!job.charge) continue;
    if (!ledger) {
      DPFERMI_ASSIGN(const auto path, job.spending.path());
      DPFERMI_ASSIGN(ledger, LedgerFile::open_or_create(path));
    }
    DPFERMI_ASSIGN(BudgetKey key, find_budget(job.spending, found.files, found.table, *ledger));
    keys.emplace(std::pair(spec.dataset, spec.protocol), std::move(key));
  }
  if (!ledger) return tables;
  DPFERMI_TRY(check_price(job, runs, keys, *ledger));
  tables.ledgers = booking_ledgers(ledger->path(), std::move(keys));
  return tables;
}

TableProvider sweep_tables(const SweepJob& job) {
  return [&job](const std::string& name, Protocol protocol) -> Result<SourceTable> {
    DPFERMI_ASSIGN(const TableChoice choice, choose_table(job, name, protocol));
    if (choice.pack) return SourceTable{{}, {}, choice.pack};
    DPFERMI_ASSIGN(Table table, read_table(choice.request));
    std::vector<std::uint32_t> blocks = split_blocks(table, choice.split);
    return SourceTable{std::move(table), std::move(blocks)};
  };
}

}  // namespace dpfermi
