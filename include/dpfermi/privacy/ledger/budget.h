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
  /// Further digests of the same data, under which budgets of other adjacencies may know them.
  std::vector<std::string> relatives = {};
  /// The data are about people whom the named budget is about, and may be a part of its data: it is
  /// charged in full, and learns them. Still refused where they are another budget's.
  /// Why: charging a budget for more than it is about only counts too much.
  bool part = false;
};

/// A Renyi filter: charges are counted by their Renyi divergence at one order, fixed beforehand.
/// docs/proofs/renyi-filter.md shows that stopping before either sum passes its limit keeps the
/// cap's (epsilon, delta), even if charges are chosen adaptively.
struct RenyiFilter {
  Amount order;
  Amount divergence;  ///< the most, summed over every charge
  Amount failure;     ///< the part of the cap's delta that is kept for infinite divergences
};

/// The most that may ever be spent: epsilon > 0 and finite, 0 <= delta < 1. Without a filter the
/// sums of epsilon and delta are limited.
struct BudgetCap {
  Amount epsilon;
  Amount delta;
  std::optional<RenyiFilter> filter = {};
};

/// What one charge takes from a Renyi filter, or several took together.
struct RenyiAmount {
  Amount divergence;
  Amount failure;
};

struct BudgetState {
  std::string name;
  Adjacency adjacency = Adjacency::kSensitive;
  std::string fingerprint;       ///< empty until tied to data
  std::optional<BudgetCap> cap;  ///< without one spending is recorded, not limited
  /// Plain sums over every charge ever granted, and over those of relatives: budgets of other
  /// adjacencies that know the same data, as far as their charges count under this adjacency.
  Amount spent_epsilon;
  Amount spent_delta;
  RenyiAmount spent_renyi;             ///< the same where the cap has a filter
  std::vector<std::string> relatives;  ///< their names
  std::vector<std::string> digests;    ///< of the data: the fingerprint and BudgetKey's
  std::uint64_t seeded = 0;  ///< charges, relatives' included, whose noise has a known seed
  std::uint64_t charges = 0;
  std::uint64_t open_runs = 0;  ///< running or crashed: charged in full, never committed

  Amount left_epsilon() const;  ///< infinite without a cap
  Amount left_delta() const;
  RenyiAmount left_renyi() const;  ///< Requires: a cap with a filter.
};

/// One entry as stored.
struct LedgerEntry {
  std::uint64_t sequence = 0;
  std::string body;  ///< a JSON object
  std::string hash;
};

}  // namespace dpfermi
