#pragma once

/// What a chain of entries adds up to. There are no stored totals to trust: the state is always the
/// result of replaying the entries, and the rules that refuse a new entry are the rules that find
/// an old one wrong.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger/budget.h"
#include "privacy/ledger/composition.h"
#include "privacy/ledger/entry.h"
#include "privacy/plan_state.h"

namespace dpfermi::ledger {

class State {
 public:
  /// Takes the entry with sequence number `sequence` into account, or says which rule forbids it
  /// and changes nothing.
  Status apply(std::uint64_t sequence, const EntryBody& body);

  const BudgetState* find_budget(const std::string& name) const;
  const BudgetState* find_fingerprint(const std::string& fingerprint) const;
  /// The budget of this adjacency that knows the data of a digest, as its own or as a part of them.
  const BudgetState* find_owner(Adjacency adjacency, const std::string& digest) const;
  const RunState* find_run(const std::string& id) const;
  const PlanState* find_plan(const std::string& run, std::uint64_t charge) const;

  const std::map<std::string, BudgetState>& budgets() const { return budgets_; }
  const std::string& key_id() const { return key_id_; }
  /// Of the rules that the newest entries follow; 0 without entries.
  int format() const { return format_; }

 private:
  /// A charge as its own budget and relatives count it.
  struct OwnCharge {
    Price price;
    std::optional<RenyiAmount> renyi;
    bool seeded;
  };

  Status take(std::uint64_t sequence, const LedgerOpened& entry);
  Status take(std::uint64_t sequence, const FormatRaised& entry);
  Status take(std::uint64_t sequence, const BudgetCreated& entry);
  Status take(std::uint64_t sequence, const BudgetCapped& entry);
  Status take(std::uint64_t sequence, const BudgetBound& entry);
  Status take(std::uint64_t sequence, const Charged& entry);
  Status take(std::uint64_t sequence, const Claimed& entry);
  Status take(std::uint64_t sequence, const Committed& entry);

  Status check_charge(const Charged& entry, const BudgetState& budget) const;
  Status check_limits(const Charged& entry, const BudgetState& budget) const;
  Result<BudgetState*> budget(const std::string& name);
  static OwnCharge own_charge(const Charged& entry);
  /// Adds a charge of a budget of adjacency `made` to what `budget` has spent.
  static void count(const OwnCharge& charge, Adjacency made, BudgetState& budget);
  void count_all(const BudgetState& from, BudgetState& to) const;
  /// What a filter counts of the charges before it.
  RenyiAmount renyi_so_far(const BudgetState& budget, const BudgetCap& cap) const;
  void add_digest(const std::string& digest, BudgetState& budget);

  std::string key_id_;
  int format_ = 0;
  std::map<std::string, std::vector<OwnCharge>> charges_;              ///< by budget
  std::map<std::string, std::vector<std::string>> budgets_of_digest_;  ///< names
  std::map<std::string, BudgetState> budgets_;
  std::map<std::string, std::string> budget_of_fingerprint_;
  std::map<std::string, RunState> runs_;
  std::map<std::uint64_t, std::string> run_of_plan_;
};

/// 1 to 100 bytes of UTF-8 without control characters: what names and purposes must be.
Status check_label(const std::string& text, const char* what);

}  // namespace dpfermi::ledger
