#pragma once

/// What the front door has in common with its neighbours.

#include "data/table_choice.h"
#include "dpfermi/dpfermi.h"

namespace dpfermi {

/// The table that load() reads.
Result<TableChoice> table_choice(const std::string& path, const LoadOptions& options);

}  // namespace dpfermi
