#pragma once

/// Budgets and charges of a ledger as text.

#include <string>

#include "dpfermi/privacy/ledger/ledger_file.h"
#include "privacy/json_fields.h"
#include "privacy/plan_state.h"

namespace dpfermi::cli {

/// What was spent, what is left, and what is still open.
std::string describe_budget(const BudgetState& budget);

/// One charge, as src/report/budget_page.h collects them, with a line for each of its parts.
Result<std::string> describe_charge(const Json& charge);

}  // namespace dpfermi::cli
