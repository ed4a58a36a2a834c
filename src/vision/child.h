#pragma once

/// Starting dpfermi-deep and waiting for it, whatever it is connected to.

#include <spawn.h>
#include <sys/types.h>

#include <string>
#include <vector>

#include "dpfermi/core/result.h"

namespace dpfermi::deep {

/// Starts `program` with `words` and with the files that `actions` connects; destroys `actions`.
Result<pid_t> start_child(const std::string& program, std::vector<std::string> words,
                          posix_spawn_file_actions_t& actions);

/// Its status, as waitpid has it.
int wait_for_child(pid_t child);

}  // namespace dpfermi::deep
