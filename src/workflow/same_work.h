#pragma once

/// Whether the processes of a team are about to do the same work.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/team.h"
#include "data/dataset.h"

namespace dpfermi {

/// Fails everywhere unless every process has the leader's rows, s included, its seed, and its
/// `settings`, which gives a text that says all else that the result depends on and is not asked by
/// a process on its own. To be checked before anything is charged: the leader pays for the people
/// of its own table, and others must not enter the sums.
Status check_same_work(Team& team, const Dataset& rows, std::optional<std::uint64_t> seed,
                       const std::function<Result<std::string>()>& settings);

}  // namespace dpfermi
