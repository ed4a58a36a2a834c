#pragma once

/// Budgets as JSON objects, for people and programs that ask what is left.

#include "dpfermi/privacy/ledger/budget.h"
#include "privacy/json_fields.h"

namespace dpfermi {

/// {"name", "adjacency", "fingerprint", "cap", "spent", "left", "charges", "relatives",
/// "open_runs"} and, of a Renyi filter, "renyi". What is spent is rounded up, what is left down; an
/// infinite amount is the text "inf".
Json json_of(const BudgetState& budget);

}  // namespace dpfermi
