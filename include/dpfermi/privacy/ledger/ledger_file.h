#pragma once

/// The ledger on disk: one SQLite file that holds a chain of entries, each with the SHA-256 of
/// everything before it. docs/ledger.md says what is guaranteed and what is not.
///
/// Opening a ledger checks all of it: the database, the chain, every sum and every rule. A ledger
/// with a flaw is refused, never repaired.

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger.h"
#include "dpfermi/privacy/ledger/budget.h"

namespace dpfermi {

namespace ledger {
class Store;
}

struct RunState;  // privacy/plan_state.h

struct LedgerOptions {
  /// How long to wait for other processes before giving up.
  std::chrono::milliseconds patience = std::chrono::seconds(30);
  /// Seconds since 1970, for the informative time of entries; the system's clock by default.
  std::function<std::int64_t()> clock = {};
};

/// `given` (the flag), else $DPFERMI_LEDGER, else ${XDG_STATE_HOME:-~/.local/state}/dpfermi/
/// ledger.db.
Result<std::filesystem::path> ledger_path(const std::optional<std::string>& given);

/// `cap` with a Renyi filter that keeps it: at `order`, or at the order at which it holds most
/// Gaussian releases. Refuses a delta of 0, which no filter keeps.
Result<BudgetCap> with_renyi_filter(BudgetCap cap, const std::optional<Amount>& order = {});

/// A handle on an open ledger; copies share it. Safe to use from several threads and beside any
/// number of other processes. After fork() it belongs to the parent: every use in the child is
/// refused, and the child opens the ledger anew. Fork while no other thread is using a ledger.
class LedgerFile {
 public:
  /// An existing ledger.
  static Result<LedgerFile> open(const std::filesystem::path& path, LedgerOptions options = {});

  /// As above, or a new one. Refused where a ledger has been removed: its key or journal is still
  /// there, and a new file would forget what was spent.
  static Result<LedgerFile> open_or_create(const std::filesystem::path& path,
                                           LedgerOptions options = {});

  /// Sets what may be spent. The budget may exist already, without a cap: what it has spent counts.
  /// A cap is set once; it is neither raised nor lowered. Requires: a name.
  Status init_budget(const BudgetKey& key, const BudgetCap& cap);

  std::filesystem::path path() const;

  /// Every budget, by name.
  Result<std::vector<BudgetState>> budgets() const;
  Result<RunState> run(const std::string& run_id) const;
  Result<LedgerHead> head() const;

  /// Refused unless `seen`, noted at an earlier time, is still part of the chain.
  Status check_contains(const LedgerHead& seen) const;

  /// Calls `visit` for each entry in order, all from one moment; stops at its first error. Nobody
  /// can charge meanwhile: `visit` must be quick and must not use this ledger.
  Status for_each_entry(const std::function<Status(const LedgerEntry&)>& visit) const;

  /// The fingerprint of data whose columns are protected: an HMAC of their digest, under the
  /// ledger's secret key.
  Result<std::string> sealed(const std::string& digest) const;

 private:
  friend class RunLedger;
  Result<std::string> secret_key() const;
  explicit LedgerFile(std::shared_ptr<ledger::Store> store) : store_(std::move(store)) {}
  std::shared_ptr<ledger::Store> store_;
};

}  // namespace dpfermi
