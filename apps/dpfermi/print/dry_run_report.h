#pragma once

/// The plan and the price of a run that was not made, for people and as JSON.

#include "cli.h"
#include "workflow/dry_run.h"

namespace dpfermi::cli {

void print_dry_run(const Context& context, const DryRun& dry);

}  // namespace dpfermi::cli
