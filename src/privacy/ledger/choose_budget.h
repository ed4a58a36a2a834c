#pragma once

/// Which budget a key means.

#include <string>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger/budget.h"
#include "privacy/ledger/store.h"

namespace dpfermi::ledger {

/// The name of the budget that `key` means, made and tied to the data as needed. Refuses another
/// adjacency, other data, and a second budget for data that have one: a new name must not be a way
/// to spend again.
Result<std::string> choose_budget(Writer& writer, const BudgetKey& key);

}  // namespace dpfermi::ledger
