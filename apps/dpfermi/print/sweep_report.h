#pragma once

#include "cli.h"
#include "experiment/sweep_job.h"

namespace dpfermi::cli {

void print_sweep(const Context& context, const SweepJob& job, const SweepOutcome& outcome);

}  // namespace dpfermi::cli
