#include "workflow/dry_run.h"

#include <fmt/format.h>

#include <filesystem>

#include "core/scratch_folder.h"
#include "core/text.h"
#include "optimize/dp_fermi.h"
#include "optimize/sketch_method.h"
#include "workflow/build_model.h"
#include "workflow/image_run.h"

namespace dpfermi {
namespace {

/// What the run would charge.
Result<JointPlan> planned_releases(const TrainingPlan& plan) {
  if (plan.sketch() != nullptr) return sketch_releases(*plan.sketch());
  if (plan.noise_multiplier > 0) return priced_releases(plan);
  DPFERMI_ASSIGN(const PrivacyEvent exact, PrivacyEvent::create(plan.adjacency, ExactRelease{}));
  return JointPlan{"training without noise", {{"training", exact}}};
}

/// The budget as the ledger on disk has it, and what it would say; nothing is written to it.
Status ask_budget(const TrainingJob& job, const PreparedData& data, JointPlan releases,
                  DryRun& dry) {
  if (job.spending.research) return {};
  DPFERMI_ASSIGN(const auto path, job.spending.path());
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return {};
  DPFERMI_ASSIGN(const LedgerFile file, LedgerFile::open(path));
  DPFERMI_ASSIGN(const BudgetKey key, find_budget(job.spending, data.files, data.table, file));
  DPFERMI_ASSIGN(dry.budget, find_state(key, file));
  releases.fixed_seed = job.seed.has_value();
  const Status taken = RunLedger::check(file, key, releases, job.spending.rehearsal);
  if (!taken) dry.refusal = taken.error();
  return {};
}

Result<DryRun> plan_on_table(Observer& observer, TrainingJob job) {
  if (job.request.method->is_baseline()) {
    return usage_error("`dry_run` plans our own methods; leave it out, or choose one of them");
  }
  DPFERMI_TRY(check_request(job));
  if (!job.checkpoint.resume.empty()) {
    return usage_error("`dry_run` plans a new run; leave out `checkpoint.resume`");
  }
  if (!job.sketch.empty()) {
    return usage_error("a model from a sketch file spends nothing; leave out `dry_run`");
  }
  if (!job.request.method->public_plan) {
    return usage_error(
        "the paper's noise follows from group counts, which a dry run does not read; "
        "leave out `dry_run`");
  }
  DPFERMI_ASSIGN(const PreparedData data, prepare_data(job.choice, job.split));
  if (job.trains_whole_network()) {
    DPFERMI_ASSIGN(job.request.network_scale, job.images->planned_scale());
  }
  DPFERMI_ASSIGN(const std::string chosen, settle_method(job, data));
  DryRun dry;
  DPFERMI_ASSIGN(dry.plan, plan_job(job, data));
  DPFERMI_TRY(check_mechanism(dry.plan));
  note_assumptions(observer, data.table);
  if (!chosen.empty()) observer.note(chosen);
  dry.units = data.table.schema.id.empty() ? "records" : "persons";
  dry.domain_declared = data.table.domain.size() == 0 || data.table.domain.declared();
  dry.outlook = outlook(dry.plan, dry.units);
  dry.charged = reads_protected(dry.plan);
  DPFERMI_ASSIGN(const JointPlan releases, planned_releases(dry.plan));
  if (dry.charged) DPFERMI_TRY(ask_budget(job, data, releases, dry));
  if (dry.plan.noise_multiplier == 0) return dry;
  for (const PlannedPart& part : releases.parts) {
    dry.releases.push_back({part.purpose, part.event, part.steps + part.spare});
  }
  return dry;
}

}  // namespace

Result<DryRun> plan_run(Observer& observer, TrainingJob job) {
  DPFERMI_ASSIGN(std::optional<DryRun> early, embed_images_for_plan(observer, job));
  if (early) return *std::move(early);
  return plan_on_table(observer, std::move(job));
}

Result<DryRun> plan_run_before_network(Observer& observer, TrainingJob job) {
  DPFERMI_ASSIGN(const ScratchFolder folder, ScratchFolder::create());
  DPFERMI_ASSIGN(job.choice, job.images->stand_in(folder.path()));
  const std::string to_train = job.images->to_train();
  DPFERMI_ASSIGN(DryRun dry, plan_on_table(observer, std::move(job)));
  dry.to_train = to_train;
  return dry;
}

Status check_before_network(const TrainingJob& job) {
  const bool planned_here = !job.request.method->is_baseline() && job.request.method->public_plan;
  // What goes on was planned and paid for before.
  if (!planned_here || !job.checkpoint.resume.empty() || !job.sketch.empty()) return {};
  Observer silent;
  DPFERMI_ASSIGN(const DryRun dry, plan_run_before_network(silent, job));
  if (!dry.refusal) return {};
  return tl::unexpected(
      Error{dry.refusal->kind, dry.refusal->message + " (no network was trained)"});
}

}  // namespace dpfermi
