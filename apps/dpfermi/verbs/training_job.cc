#include "verbs/training_job.h"

#include "flags/run_flags.h"
#include "print/dry_run_report.h"
#include "print/training_report.h"
#include "terminal_observer.h"
#include "verbs/sign_output.h"
#include "workflow/dry_run.h"
#include "workflow/output_file.h"

namespace dpfermi::cli {

void OutcomeFlags::add_to(CLI::App& verb) {
  verb.add_flag("--exact", exact,
                "Also print exact violations and rates of groups: for the holder, not private");
  verb.add_flag("--verbose", verbose, "Print every release and every released figure");
  verb.add_flag("--require-target", require_target,
                "Exit 1 unless released figures show the target to be met; the model is written");
  add_force(verb, force);
  verb.add_flag("--dry-run", dry_run,
                "Print the plan, its price and whether it fits the budget; nothing is charged");
}

Status run_and_print(const Context& context, TrainingJob job, const OutcomeFlags& flags) {
  TerminalObserver observer(context);
  if (flags.dry_run) {
    DPFERMI_ASSIGN(const DryRun dry, plan_run(observer, std::move(job)));
    print_dry_run(context, dry);
    if (dry.refusal) return tl::unexpected(*dry.refusal);
    return {};
  }
  const std::string out = job.out;
  job.team = context.team;
  if (!flags.force && job.team->leads()) DPFERMI_TRY(check_not_paid_for(out, "out"));
  DPFERMI_ASSIGN(const TrainingOutcome outcome, run_training(observer, std::move(job)));
  if (!context.team->leads()) return {};
  print_outcome(context, outcome, flags.exact ? Figures::kExact : Figures::kPublic,
                flags.verbose ? Detail::kFull : Detail::kShort);
  sign_output(context, out, outcome.charge);
  return flags.require_target ? require_target(outcome) : Status();
}

}  // namespace dpfermi::cli
