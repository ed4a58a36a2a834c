#pragma once

/// From events to charges and plans: the bridge between the accountant and the ledger.

#include <cstdint>
#include <string>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger.h"

namespace dpfermi {

/// A charge for `count` releases of `event` whose cost is certified at `delta`.
/// `total_variation` is how far all of these releases together may be from the ideal mechanism
/// (Privatizer::total_variation() times count); it is paid out of delta.
/// Ensures: cost = {epsilon, delta} with the releases as implemented (epsilon, delta)-DP; epsilon
/// is rounded up so that its shortest decimal, which the ledger reads, is an upper bound as well.
/// Why: moving each of two outputs by tau in total variation turns (epsilon, delta') into
/// (epsilon, delta' + (1 + e^epsilon) tau). A millionth of delta is set aside for the second term.
Result<Charge> priced_charge(std::string purpose, const PrivacyEvent& event, std::uint64_t count,
                             double delta, double total_variation = 0);

/// `plan` with its cost filled in: certified at `delta` for all of whole_event(plan.parts), steps
/// and spare ones, as one composition. `total_variation` is that of all these releases together.
/// Ensures: as priced_charge.
Result<JointPlan> priced_plan(JointPlan plan, double delta, double total_variation = 0);

}  // namespace dpfermi
