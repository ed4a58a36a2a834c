#pragma once

#include <span>
#include <string>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// Whether a file could be written to `path`, asked before work or budget is spent on it. `flag`
/// names the option in messages. Neither `inputs`, what else the command reads or writes, may be
/// overwritten, nor any ledger or its key: what was spent would be forgotten.
Status check_writable(const std::string& path, const std::string& flag,
                      std::span<const std::string> inputs);

}  // namespace dpfermi
