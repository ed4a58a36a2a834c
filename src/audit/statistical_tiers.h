#pragma once

/// The tiers that can only be sure up to a stated rate of false alarms, as audit() runs them.

#include <vector>

#include "audit/audit.h"

namespace dpfermi {

/// T1 on runs of the case, long enough for a million draws over a usual audit: one of a fixed seed,
/// two whose noise must have nothing in common (with keys of the operating system, as in earnest;
/// in the quick form seeds), and many short ones for the noise of the group counts.
Result<std::vector<Finding>> noise_tier(const AuditCase& audited, const AuditOptions& options);

/// T2 on long runs of the case, at its own rate and at a smaller one (sampling works differently
/// below 1/10); where features are public also whether the public batch, as the model shows it,
/// reveals who is in the secret one. For methods that draw batches.
Result<std::vector<Finding>> sampler_tier(const AuditCase& audited, const AuditOptions& options);
bool sampler_applies(const AuditCase& audited);

/// T3 with the case's method, adjacency and budget, on data made for it.
Result<std::vector<Finding>> attribute_tier(const AuditCase& audited, const AuditOptions& options);
/// One game for every method, adjacency and budget is enough: the plainest case of each.
bool attribute_applies(const AuditCase& audited);

/// T4 on the case's own table where it is large, else on 10,000 synthetic records.
Result<std::vector<Finding>> one_run_tier(const AuditCase& audited, const AuditOptions& options);
bool one_run_applies(const AuditCase& audited);

}  // namespace dpfermi
