#pragma once

/// From replays to findings: the lines of the checks, and the price of what was seen.

#include <span>
#include <vector>

#include "audit/checks.h"
#include "audit/release_tape.h"
#include "audit/replay_checks.h"
#include "dpfermi/privacy/ledger.h"

namespace dpfermi {

/// A green one of tier T0.
Finding replay_finding(const Subject& subject);

/// One finding for every line that was tried.
void add_lines(const Subject& subject, const ReplayChecks& checks, std::vector<Finding>& findings);

/// Releases as one event, from what left and not from what was charged; what the ledger was told to
/// be exact in `plans` is exact.
Result<PrivacyEvent> seen_event(Adjacency adjacency, const SeenReleases& seen,
                                std::span<const PlanState> plans);

/// What the releases that were seen cost, against what is claimed for them.
Result<Finding> price_finding(const Subject& subject, const PrivacyCost& claimed,
                              const PrivacyEvent& seen);

/// The same for every charge of a run that made one after the other: that of the charge whose
/// releases cost most beside what it says.
Result<Finding> dearest_charge(const Subject& subject, const ReleaseTape& tape,
                               std::span<const PlanState> plans);

}  // namespace dpfermi
