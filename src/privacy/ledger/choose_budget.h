#pragma once

/// Which budget a key means.

#include <string>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger/budget.h"
#include "privacy/ledger/chain_state.h"

namespace dpfermi::ledger {

/// The budget that `key` means and the entries that make it and tie it to the data, as far as it
/// has to be. Refuses another adjacency. The entries are refused for other data, and for a second
/// budget of data that have one: a new name must not be a way to spend again.
struct BudgetChoice {
  std::string name;
  std::vector<EntryBody> entries;
};
Result<BudgetChoice> choose_budget(const State& state, const BudgetKey& key);

}  // namespace dpfermi::ledger
