#pragma once

#include <span>
#include <string>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// Whether a file could be written to `path`, asked before work or budget is spent on it. `field`
/// is the setting that names it, for messages. Neither `inputs`, what else the command reads or
/// writes, may be overwritten, nor any ledger or its key: what was spent would be forgotten.
Status check_writable(const std::string& path, const std::string& field,
                      std::span<const std::string> inputs);

/// Refuses a path that holds a model or a sketch that was charged to a ledger: it cannot be made
/// again for nothing.
Status check_not_paid_for(const std::string& path, const std::string& field);

}  // namespace dpfermi
