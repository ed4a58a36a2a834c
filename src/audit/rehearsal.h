#pragma once

/// A run of train() on synthetic data, watched from inside: the real samplers, mechanisms, solvers
/// and plans, and nothing re-implemented.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "audit/audit_case.h"
#include "audit/audit_ledger.h"
#include "core/team.h"
#include "data/dataset.h"
#include "dpfermi/core/result.h"
#include "optimize/training.h"
#include "privacy/mechanism/release_tap.h"

namespace dpfermi {

/// The random streams of a rehearsal.
struct RehearsalSeeds {
  std::uint64_t all = 1;
  /// Another seed for who is in the secret batches, everything else alike.
  std::optional<std::uint64_t> secret_batches = std::nullopt;
};

/// The blocks of steps in which a rehearsal goes.
struct RehearsalCourse {
  /// Steps of a block. The state after each but the last is kept, as checkpoints have it. 0: the
  /// run is one block.
  std::uint64_t block = 0;
  /// A multiple of `block`: there the run breaks off, and another goes on from the bytes of the
  /// checkpoint's file. 0: it does not.
  std::uint64_t break_at = 0;
};

/// What a recipient would see of a run, and what the ledger wrote down.
struct Rehearsal {
  std::vector<TrainingCheckpoint> path;  ///< after every block but the last
  Result<TrainingResult> outcome = failed("the run was not made");
  /// Name and bytes of whatever leaves: model, card, sketch, figures, remarks. For runs of the
  /// front door (audit/file_tier.h).
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<PlanState> plans;
  std::vector<AuditLedger::Claim> claims;
};

/// Runs `plan` on `data`, whose s must be a rehearsal value (Protected::rehearsal), and shows every
/// release to `tap`. An error of the run itself is part of what a recipient sees: it is the
/// outcome. `team`: the processes that make this run together.
Result<Rehearsal> rehearse(const Dataset& data, const TrainingPlan& plan,
                           const RehearsalSeeds& seeds, ReleaseTap& tap,
                           const RehearsalCourse& course = {}, const NetworkFor& network = {},
                           Team& team = Team::alone());

/// The same for the baseline of a case; its path is theta after every step or round.
Result<Rehearsal> rehearse_baseline(const AuditCase& audited, const Dataset& data,
                                    const RehearsalSeeds& seeds, ReleaseTap& tap);

/// Runs the baseline of a case with this noise and shows its releases to `tap`.
Status watch_baseline(const AuditCase& audited, NoiseSource noise, ReleaseTap& tap);

}  // namespace dpfermi
