#pragma once

/// Groups of fewer units than a user asks for are made one: `merge_small`. Which groups those are
/// is read off noisy counts that the run pays for, by (group) alone and before anything else is
/// read; a run without noise, which promises nothing, counts them exactly. The number of groups
/// stays: those that were merged into another have no members any more.

#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "dpfermi/privacy/statement.h"
#include "optimize/training_plan.h"
#include "privacy/mechanism/counts_privatizer.h"

namespace dpfermi {

/// The group that each group is counted as: the first of those with fewer than `least` units stands
/// for all of them, the others stand for themselves. Where only one is small there is nothing to
/// merge it with.
std::vector<std::uint16_t> merge_groups(std::span<const double> counts, std::uint32_t least);

/// The same by noisy counts of units, one release of the privatiser.
Result<std::vector<std::uint16_t>> released_merging(const Dataset& data, const TrainingPlan& plan,
                                                    CountsPrivatizer& privatizer);

/// By exact counts.
std::vector<std::uint16_t> exact_merging(const Dataset& data, const TrainingPlan& plan,
                                         const ExactRead& read);

/// `data` with every unit in the group that its own is counted as.
Dataset with_merged_groups(const Dataset& data, const std::vector<std::uint16_t>& merged);

}  // namespace dpfermi
