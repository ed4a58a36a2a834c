#pragma once

/// Budgets: who may spend how much on which data, and what is left.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dpfermi/privacy/adjacency.h"
#include "dpfermi/privacy/ledger/amount.h"

namespace dpfermi {

/// Which budget a run spends from. A budget belongs to one adjacency and, once tied, to the data of
/// one fingerprint; a run that names another adjacency or other data is refused.
struct BudgetKey {
  std::string name;  ///< given by the user; empty: the budget of these data
  Adjacency adjacency = Adjacency::kSensitive;
  std::string fingerprint;  ///< of the data's public columns; empty: unknown
};

/// The most that may ever be spent: epsilon > 0 and finite, 0 <= delta < 1.
struct BudgetCap {
  Amount epsilon;
  Amount delta;
};

struct BudgetState {
  std::string name;
  Adjacency adjacency = Adjacency::kSensitive;
  std::string fingerprint;       ///< empty until tied to data
  std::optional<BudgetCap> cap;  ///< without one spending is recorded, not limited
  Amount spent_epsilon;          ///< plain sums over every charge ever granted
  Amount spent_delta;
  std::uint64_t charges = 0;
  std::uint64_t open_runs = 0;  ///< running or crashed: charged in full, never committed

  Amount left_epsilon() const;  ///< infinite without a cap
  Amount left_delta() const;
};

/// Where a ledger stands. Kept in checkpoints: a ledger that does not contain a head seen earlier
/// has been replaced or rolled back.
struct LedgerHead {
  std::uint64_t sequence = 0;
  std::string hash;  ///< SHA-256 in hex, over everything up to this entry
};

/// One entry as stored.
struct LedgerEntry {
  std::uint64_t sequence = 0;
  std::string body;  ///< a JSON object
  std::string hash;
};

/// The run in its ledger. A ledger that does not contain the head has been replaced or rolled back.
struct LedgerPlace {
  std::string run_id;
  LedgerHead head;
};

}  // namespace dpfermi
