#pragma once

/// This process as one of several that mpirun started.

#include <memory>
#include <optional>
#include <string>

#include "core/joined_team.h"

namespace dpfermi {

/// Who started this process together with others.
struct Launch {
  std::string implementation;  ///< of MPI: "openmpi", "mpich"; empty: it cannot be told
  bool leads = false;          ///< whether this is process 0
};

/// What the environment says; nothing where the process was started alone, be it by mpirun.
std::optional<Launch> find_launch();

/// The processes of a launch. Loads the component for MPI, which lies beside the program or where
/// it was installed.
Result<std::unique_ptr<JoinedTeam>> join_processes(const Launch& launch);

}  // namespace dpfermi
