#pragma once

/// The chain of entries in its SQLite file: read, checked, replayed and appended to, under the
/// file's locks.

#include <functional>
#include <memory>
#include <mutex>

#include "dpfermi/privacy/ledger/ledger_file.h"
#include "privacy/ledger/chain_state.h"
#include "privacy/ledger/sqlite.h"

namespace dpfermi::ledger {

class Store;

/// What an append may do: look at the state and add entries, which change it at once.
class Writer {
 public:
  const State& state() const;
  /// The sequence number the next entry will have.
  std::uint64_t next() const;
  Status add(EntryBody body);

 private:
  friend class Store;
  explicit Writer(Store& store) : store_(store) {}
  Store& store_;
};

class Store {
 public:
  static Result<std::shared_ptr<Store>> open(const std::filesystem::path& path,
                                             LedgerOptions options, bool create);

  /// Runs `work` on the newest state while no other process can write; what it adds is durable when
  /// append returns success, and absent when `work` returns an error.
  Status append(const std::function<Status(Writer&)>& work);

  /// Runs `work` on the newest state.
  Status read(const std::function<Status(const State&, const LedgerHead&)>& work);

  /// The stored rows from `first` on, in order.
  Status for_each_row(std::uint64_t first, const std::function<Status(const LedgerEntry&)>& visit);

  const std::filesystem::path& path() const { return database_.path(); }

 private:
  friend class Writer;
  friend Status create_ledger(const std::filesystem::path& path, const LedgerOptions& options);
  Store(Database database, LedgerOptions options)
      : database_(std::move(database)), options_(std::move(options)) {}

  Status check_database();
  Status catch_up();
  Status check_head();
  Status replay(const LedgerEntry& row);
  Status insert(EntryBody body);
  Status write_head();
  std::string now() const;
  /// Forgets what was replayed: the next use starts from the first entry.
  void forget();

  std::mutex mutex_;
  Database database_;
  LedgerOptions options_;
  State state_;
  LedgerHead head_;
};

/// Adds the entries that make the budget of `key`, and returns its name.
Result<std::string> choose_budget(Writer& writer, const BudgetKey& key);

/// SHA-256 over the previous hash, the sequence number and the stored text.
Result<std::string> chain_hash(const LedgerHead& previous, const std::string& body);

/// Makes an empty ledger at `path`, whole or not at all, unless there is one. Refuses where one has
/// been removed.
Status create_ledger(const std::filesystem::path& path, const LedgerOptions& options);

/// Fails where there was a ledger at `path` that is not there now. A journal left alone would be
/// rolled back into whatever file has the ledger's name, and a key without its ledger means that
/// spending has been forgotten.
Status check_nothing_was_removed(const std::filesystem::path& path);

}  // namespace dpfermi::ledger
