#pragma once

/// Files that a run wrote, signed where its ledger has a key for that.

#include <string>

#include "cli.h"
#include "dpfermi/workflow/outcome.h"

namespace dpfermi::cli {

/// Writes FILE.sig where the ledger of the run has a signing key. What fails is a note: the run is
/// paid for, and 'dpfermi ledger sign' can be repeated.
void sign_output(const Context& context, const std::string& file, const ChargeRecord& charge);

}  // namespace dpfermi::cli
