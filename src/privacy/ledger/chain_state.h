#pragma once

/// What a chain of entries adds up to. There are no stored totals to trust: the state is always the
/// result of replaying the entries, and the rules that refuse a new entry are the rules that find
/// an old one wrong.

#include <cstdint>
#include <map>
#include <string>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger/budget.h"
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
  const RunState* find_run(const std::string& id) const;
  const PlanState* find_plan(const std::string& run, std::uint64_t charge) const;

  const std::map<std::string, BudgetState>& budgets() const { return budgets_; }
  const std::string& key_id() const { return key_id_; }

 private:
  Status take(std::uint64_t sequence, const LedgerOpened& entry);
  Status take(std::uint64_t sequence, const BudgetCreated& entry);
  Status take(std::uint64_t sequence, const BudgetCapped& entry);
  Status take(std::uint64_t sequence, const BudgetBound& entry);
  Status take(std::uint64_t sequence, const Charged& entry);
  Status take(std::uint64_t sequence, const Claimed& entry);
  Status take(std::uint64_t sequence, const Committed& entry);

  Status check_charge(const Charged& entry, const BudgetState& budget) const;
  Result<BudgetState*> budget(const std::string& name);

  std::string key_id_;
  std::map<std::string, BudgetState> budgets_;
  std::map<std::string, std::string> budget_of_fingerprint_;
  std::map<std::string, RunState> runs_;
  std::map<std::uint64_t, std::string> run_of_plan_;
};

/// 1 to 100 bytes of UTF-8 without control characters: what names and purposes must be.
Status check_label(const std::string& text, const char* what);

}  // namespace dpfermi::ledger
