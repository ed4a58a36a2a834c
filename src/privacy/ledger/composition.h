#pragma once

/// How charges add up: across adjacencies, and in a Renyi filter. Whatever is computed while
/// entries are replayed is exact decimal arithmetic, the same on every machine.

#include <optional>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger.h"
#include "dpfermi/privacy/ledger/budget.h"

namespace dpfermi::ledger {

struct Price {
  Amount epsilon;
  Amount delta;
};

/// What a release that is (epsilon, delta)-DP under `made` costs a promise under `promised`.
/// Why: neighbours in s alone are neighbours in one record, so replace-record costs sensitive the
/// same. A replacement is a removal and an addition: P(S) <= e^eps M(S) + delta and
/// M(S) <= e^eps Q(S) + delta give (2 eps, (1 + e^eps) delta). In every other direction the release
/// treats as public what is promised to be protected: features and labels under sensitive, the
/// number of records under the exchange adjacencies. There the cost is infinite.
Price counted_under(Adjacency promised, Adjacency made, const Price& price);

/// What any (epsilon, delta)-DP release takes from a filter of `order`: the divergence
/// min(epsilon, order epsilon^2 / 2) and the failure delta. Why: docs/proofs/renyi-filter.md.
RenyiAmount renyi_of_price(const Price& price, const Amount& order);

/// The filter that keeps (cap.epsilon, cap.delta), its limits rounded down; at the order at which
/// it holds most Gaussian releases unless `order` names one. A tenth of delta is kept for failures.
Result<RenyiFilter> make_filter(const BudgetCap& cap, const std::optional<Amount>& order);

/// Refuses limits with which the filter would not keep the cap's (epsilon, delta).
Status check_filter(const BudgetCap& cap);

/// What releases of `whole` take from the filter of `cap`, rounded up; nothing where only their
/// price is known. `total_variation` is how far they may be from ideal ones, which costs a failure
/// of (1 + e^cap.epsilon) times as much.
std::optional<RenyiAmount> renyi_of_event(const PrivacyEvent& whole, double total_variation,
                                          const BudgetCap& cap);

}  // namespace dpfermi::ledger
