#pragma once

#include <string>

#include "workflow/spending.h"

namespace dpfermi::cli {

/// "Recorded: run 1f2e... in people.db.", or that it is research; nothing where nothing was
/// charged.
std::string recorded_text(const ChargeRecord& record);

}  // namespace dpfermi::cli
