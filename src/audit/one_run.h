#pragma once

/// T4: one run of real size in which the groups of many units, the canaries, are fair coins, and
/// an attacker who guesses the coins from what was released. Flipping one coin is exactly the
/// adjacency `sensitive`, so too many right guesses refute the epsilon of the run itself, on the
/// user's own table. One run proves less than thousands of games: a clean one is not a proof.

#include <cstdint>
#include <vector>

#include "audit/bounds.h"
#include "audit/checks.h"
#include "data/dataset.h"
#include "dpfermi/core/result.h"
#include "optimize/training.h"

namespace dpfermi {

struct OneRunSetup {
  Dataset data;  ///< two groups, synthetic; the canaries' are coins
  TrainingPlan plan;
  std::vector<std::uint32_t> canaries;  ///< units, ascending
  std::vector<bool> coins;              ///< of the canaries: the group
};

/// `canaries` units of `data`, those of the longest rows, on which a guesser sees most; everybody's
/// group becomes a coin. Two groups, so that the two contributions of a unit are opposites.
/// Requires synthetic groups and adjacency `sensitive`.
Result<OneRunSetup> one_run_on(const Dataset& data, const TrainingRequest& request,
                               std::size_t favourable, std::size_t canaries, std::uint64_t seed);

/// The same on synthetic records, where every canary has its own input columns.
Result<OneRunSetup> one_run_invented(const TrainingRequest& request, std::uint32_t units,
                                     std::uint32_t canaries, std::uint64_t seed);

struct OneRunOutcome {
  OneRun guesses;
  PrivacyCost claimed;
};

/// Trains once and guesses the quarter of the coins on which the scores are clearest.
Result<OneRunOutcome> run_once(const OneRunSetup& setup, std::uint64_t seed);

Check one_run_check(const OneRunOutcome& outcome);

}  // namespace dpfermi
