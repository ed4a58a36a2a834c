#pragma once

/// A run of train() on invented data, watched from inside: the real samplers, mechanisms, solvers
/// and plans, and nothing re-implemented.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/audit_case.h"
#include "audit/audit_ledger.h"
#include "data/dataset.h"
#include "dpfermi/core/result.h"
#include "model/decision_rule.h"
#include "optimize/training.h"
#include "privacy/mechanism/release_tap.h"

namespace dpfermi {

/// The random streams of a rehearsal.
struct RehearsalSeeds {
  std::uint64_t all = 1;
  /// Another seed for who is in the secret batches, everything else alike.
  std::optional<std::uint64_t> secret_batches = std::nullopt;
};

/// What a recipient would see of a run, and what the ledger wrote down.
struct Rehearsal {
  std::vector<TrainingCheckpoint> path;  ///< after every step but the last, where asked for
  Result<TrainingResult> outcome = failed("the run was not made");
  DecisionRule rule;  ///< of a baseline's model
  std::vector<PlanState> plans;
  std::vector<AuditLedger::Claim> claims;
};

/// Runs `plan` on `data`, whose s must be a rehearsal value (Protected::rehearsal), and shows every
/// release to `tap`. With `keep_path` the state after every step is kept, as checkpoints have it.
/// An error of the run itself is part of what a recipient sees: it is the outcome.
Result<Rehearsal> rehearse(const Dataset& data, const TrainingPlan& plan,
                           const RehearsalSeeds& seeds, ReleaseTap& tap, bool keep_path,
                           const NetworkFor& network = {});

/// The same for the baseline of a case; its path is theta after every step or round.
Result<Rehearsal> rehearse_baseline(const AuditCase& audited, const Dataset& data,
                                    const RehearsalSeeds& seeds, ReleaseTap& tap);

/// Runs the baseline of a case with this noise and shows its releases to `tap`.
Status watch_baseline(const AuditCase& audited, NoiseSource noise, ReleaseTap& tap);

}  // namespace dpfermi
