#pragma once

#include <string>

#include "dpfermi/core/result.h"

namespace dpfermi::cli {

/// Whether a file could be written to `path`, asked before work or budget is spent on it. `flag`
/// names the option in messages.
Status check_writable(const std::string& path, const std::string& flag);

}  // namespace dpfermi::cli
