#pragma once

/// The tool as one of several processes that mpirun started.

#include <memory>
#include <string>

#include "core/joined_team.h"

namespace dpfermi::cli {

/// The processes that were started with this one, or null where it was started alone. Loads the
/// component for MPI (src/mpi). Of several processes only the leader writes to stdout and stderr.
Result<std::unique_ptr<JoinedTeam>> join_processes();

}  // namespace dpfermi::cli
