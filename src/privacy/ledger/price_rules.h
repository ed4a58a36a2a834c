#pragma once

/// Which amounts make sense, and the words for those that do not fit.

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/event.h"
#include "dpfermi/privacy/ledger/budget.h"
#include "privacy/ledger/entry.h"

namespace dpfermi::ledger {

/// A cap must be a promise: epsilon > 0 and finite, delta < 1, a filter that keeps them.
Status check_cap(const BudgetCap& cap);

/// delta <= 1, and an infinite epsilon for what is released without noise unless delta covers the
/// probability of being in it. Beyond that, prices are trusted. `whole` is all that is charged.
Status check_price(const Charged& charge, const PrivacyEvent& whole);

/// What was asked for, what is left of `budget` and what would fit. `made` is the adjacency of the
/// charge, `after` what the budget would become.
Status refusal(const Charged& charge, Adjacency made, const BudgetState& budget,
               const BudgetState& after);

/// Noise of a known seed does not protect.
Status seed_refusal(const BudgetState& budget);

}  // namespace dpfermi::ledger
