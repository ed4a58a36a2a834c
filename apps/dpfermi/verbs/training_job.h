#pragma once

/// The end of the verbs that make a model: `train` and `repair`.

#include <CLI/CLI.hpp>

#include "cli.h"
#include "workflow/training_run.h"

namespace dpfermi::cli {

struct OutcomeFlags {
  bool dry_run = false;
  bool exact = false;
  bool verbose = false;
  bool require_target = false;
  bool force = false;

  void add_to(CLI::App& verb);
};

/// Runs the job, or plans it, and prints what came of it.
Status run_and_print(const Context& context, TrainingJob job, const OutcomeFlags& flags);

}  // namespace dpfermi::cli
