#pragma once

/// Completion scripts of shells for every command and option.

#include <string>

#include "print/command_page.h"

namespace dpfermi::cli {

std::string bash_completion(const CommandPage& tool);
std::string zsh_completion(const CommandPage& tool);
std::string fish_completion(const CommandPage& tool);

}  // namespace dpfermi::cli
