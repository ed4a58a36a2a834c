#include "privacy/ledger/store.h"

#include <fmt/format.h>

#include <ctime>

#include "dpfermi/core/version.h"
#include "privacy/ledger/choose_budget.h"
#include "privacy/ledger/database_layout.h"
#include "privacy/ledger/hash.h"

namespace dpfermi::ledger {
namespace fs = std::filesystem;
namespace {

/// Absolute and without links, so that every process sees the same journal and key, and no name
/// means something special to SQLite.
Result<fs::path> real_path(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
  if (error || !real.has_filename()) {
    return failed(
        fmt::format("{}: not a usable file name; name a file for the ledger", path.string()));
  }
  return real;
}

/// SQLite takes an empty file for a new database; for us it is a ledger that lost everything.
Status check_file(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) {
    return failed(fmt::format("{}: is a folder; name the ledger file inside it", path.string()));
  }
  if (fs::exists(path, error) && fs::file_size(path, error) == 0) {
    return failed(fmt::format("{}: the ledger is empty; restore it from a backup", path.string()));
  }
  return {};
}

}  // namespace

const State& Writer::state() const {
  return store_.state_;
}
std::uint64_t Writer::next() const {
  return store_.head_.sequence + 1;
}
Status Writer::add(EntryBody body) {
  return store_.insert(std::move(body));
}

Result<std::string> choose_budget(Writer& writer, const BudgetKey& key) {
  DPFERMI_ASSIGN(BudgetChoice choice, choose_budget(writer.state(), key));
  for (EntryBody& entry : choice.entries) DPFERMI_TRY(writer.add(std::move(entry)));
  return std::move(choice.name);
}

Result<std::string> chain_hash(const LedgerHead& previous, const std::string& body) {
  return sha256(fmt::format("{}\n{}\n{}", previous.hash, previous.sequence + 1, body));
}

Result<std::shared_ptr<Store>> Store::open(const fs::path& path, LedgerOptions options,
                                           bool create) {
  DPFERMI_ASSIGN(const fs::path real, real_path(path));
  DPFERMI_TRY(check_file(real));
  if (create) DPFERMI_TRY(create_ledger(real, options));
  if (std::error_code error; !fs::exists(real, error)) {
    DPFERMI_TRY(check_nothing_was_removed(real));
    return failed(fmt::format(
        "{}: there is no ledger; 'dpfermi ledger init' makes one, `ledger` names another",
        real.string()));
  }
  DPFERMI_ASSIGN(Database database, Database::open(real, false, options.patience));
  std::shared_ptr<Store> store(new Store(std::move(database), std::move(options)));
  DPFERMI_TRY(store->check_database());
  return store;
}

Status Store::check_database() {
  DPFERMI_ASSIGN(const Transaction transaction, Transaction::begin(database_, false));
  DPFERMI_ASSIGN(const std::string application, database_.single_text("PRAGMA application_id"));
  if (application != fmt::format("{}", kApplicationId)) {
    return failed(fmt::format("{}: not a ledger, or damaged; name the right file with `ledger`",
                              path().string()));
  }
  DPFERMI_ASSIGN(const std::string version, database_.single_text("PRAGMA user_version"));
  std::string expected;
  for (const char* sql : kSchema) expected += fmt::format("{}\n", sql);
  DPFERMI_ASSIGN(const std::string schema,
                 database_.single_text("SELECT group_concat(sql || char(10), '') FROM "
                                       "(SELECT sql FROM sqlite_schema ORDER BY name)"));
  if (version != fmt::format("{}", kSchemaVersion) || schema != expected) {
    return failed(
        fmt::format("{}: the layout of the ledger is not version {}; update dpfermi or "
                    "restore a backup",
                    path().string(), kSchemaVersion));
  }
  DPFERMI_ASSIGN(const std::string check, database_.single_text("PRAGMA integrity_check(1)"));
  if (check != "ok") {
    return failed(fmt::format("{}: the database is damaged ({}); restore it from a backup",
                              path().string(), check));
  }
  DPFERMI_TRY(catch_up());
  if (head_.sequence == 0) {
    return failed(fmt::format("{}: the ledger has no entries; restore a backup", path().string()));
  }
  return {};
}

Status Store::catch_up() {
  if (database_.has_moved()) {
    return failed(fmt::format("{}: the ledger was replaced or removed while in use; restore it",
                              path().string()));
  }
  if (head_.sequence > 0) {
    DPFERMI_ASSIGN(Statement query, database_.prepare("SELECT hash FROM entry WHERE seq = ?"));
    query.bind(1, static_cast<std::int64_t>(head_.sequence));
    DPFERMI_ASSIGN(const bool found, query.step());
    if (!found || query.text(0) != head_.hash) {
      return failed(fmt::format("{}: entry {} has been removed or changed; restore a backup",
                                path().string(), head_.sequence));
    }
  }
  DPFERMI_TRY(
      for_each_row(head_.sequence + 1, [&](const LedgerEntry& row) { return replay(row); }));
  return check_head();
}

Status Store::check_head() {
  DPFERMI_ASSIGN(Statement query, database_.prepare("SELECT seq, hash FROM head"));
  DPFERMI_ASSIGN(const bool found, query.step());
  const std::uint64_t sequence = found ? static_cast<std::uint64_t>(query.integer(0)) : 0;
  if (sequence > head_.sequence) {
    return failed(fmt::format("{}: entry {} is missing; restore a backup", path().string(),
                              head_.sequence + 1));
  }
  if (sequence != head_.sequence || (found && query.text(1) != head_.hash)) {
    return failed(fmt::format("{}: entry {} was not written by dpfermi; restore a backup",
                              path().string(), head_.sequence));
  }
  return {};
}

Status Store::replay(const LedgerEntry& row) {
  const auto bad = [&](std::uint64_t sequence, const std::string& why) {
    return failed(fmt::format("{}: entry {} {}", path().string(), sequence, why));
  };
  if (row.sequence != head_.sequence + 1) {
    return bad(head_.sequence + 1, "is missing; restore a backup");
  }
  DPFERMI_ASSIGN(const std::string hash, chain_hash(head_, row.body));
  if (hash != row.hash) {
    return bad(row.sequence, "does not match its hash, so the file was changed; restore a backup");
  }
  const Result<Entry> entry = entry_from_json(row.body);
  if (!entry) return bad(row.sequence, entry.error().message);
  if (Status status = state_.apply(row.sequence, entry->body); !status) {
    return bad(row.sequence, "breaks a rule: " + status.error().message);
  }
  head_ = {row.sequence, row.hash};
  return {};
}

Status Store::for_each_row(std::uint64_t first,
                           const std::function<Status(const LedgerEntry&)>& visit) {
  DPFERMI_ASSIGN(
      Statement rows,
      database_.prepare("SELECT seq, body, hash FROM entry WHERE seq >= ? ORDER BY seq"));
  rows.bind(1, static_cast<std::int64_t>(first));
  while (true) {
    DPFERMI_ASSIGN(const bool found, rows.step());
    if (!found) return {};
    DPFERMI_TRY(visit({static_cast<std::uint64_t>(rows.integer(0)), rows.text(1), rows.text(2)}));
  }
}

Status Store::append(const std::function<Status(Writer&)>& work) {
  DPFERMI_TRY(database_.check_process());
  const std::lock_guard lock(mutex_);
  DPFERMI_ASSIGN(Transaction transaction, Transaction::begin(database_, true));
  DPFERMI_TRY(catch_up());
  const std::uint64_t before = head_.sequence;
  Writer writer(*this);
  Status status;
  if (before > 0 && state_.format() < kFormat) status = insert(FormatRaised{});
  if (status) status = work(writer);
  if (status) status = write_head();
  if (status) status = transaction.commit();
  if (!status && head_.sequence != before) forget();
  return status;
}

Status Store::read(const std::function<Status(const State&, const LedgerHead&)>& work) {
  DPFERMI_TRY(database_.check_process());
  const std::lock_guard lock(mutex_);
  DPFERMI_ASSIGN(const Transaction transaction, Transaction::begin(database_, false));
  DPFERMI_TRY(catch_up());
  return work(state_, head_);
}

Status Store::insert(EntryBody body) {
  const LedgerHead previous = head_;
  DPFERMI_TRY(state_.apply(previous.sequence + 1, body));
  head_.sequence = previous.sequence + 1;  // from here on append() knows that the state changed
  const std::string text = entry_to_json({std::move(body), now(), std::string(version())});
  DPFERMI_ASSIGN(head_.hash, chain_hash(previous, text));
  DPFERMI_ASSIGN(Statement statement, database_.prepare("INSERT INTO entry VALUES (?, ?, ?)"));
  statement.bind(1, static_cast<std::int64_t>(head_.sequence)).bind(2, text).bind(3, head_.hash);
  DPFERMI_TRY(statement.step());
  return {};
}

Status Store::write_head() {
  DPFERMI_ASSIGN(Statement statement,
                 database_.prepare("INSERT OR REPLACE INTO head VALUES (1, ?, ?)"));
  statement.bind(1, static_cast<std::int64_t>(head_.sequence)).bind(2, head_.hash);
  DPFERMI_TRY(statement.step());
  return {};
}

std::string Store::now() const {
  const std::time_t time =
      options_.clock ? static_cast<std::time_t>(options_.clock()) : std::time(nullptr);
  std::tm parts = {};
  char text[40] = "";
  if (::gmtime_r(&time, &parts) != nullptr) {
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  }
  return text;
}

void Store::forget() {
  state_ = {};
  head_ = {};
}

}  // namespace dpfermi::ledger
