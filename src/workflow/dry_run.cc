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

/// The budget as the ledger on disk has it; nothing is written to it.
Result<std::optional<BudgetState>> paying_budget(const SpendingChoice& choice,
                                                 const PreparedData& data) {
  if (choice.research) return std::nullopt;
  DPFERMI_ASSIGN(const auto path, choice.path());
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  DPFERMI_ASSIGN(const LedgerFile file, LedgerFile::open(path));
  DPFERMI_ASSIGN(const BudgetKey key, find_budget(choice, data.files, data.table, file));
  return find_state(key, file);
}

Result<DryRun> plan_on_table(Observer& observer, TrainingJob job) {
  if (!job.request.method->is_planned()) {
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
  DryRun dry;
  DPFERMI_ASSIGN(dry.plan, plan_job(job, data));
  DPFERMI_TRY(check_mechanism(dry.plan));
  note_assumptions(observer, data.table);
  dry.units = data.table.schema.id.empty() ? "records" : "persons";
  dry.domain_declared = data.table.domain.size() == 0 || data.table.domain.declared();
  dry.charged = reads_protected(dry.plan);
  if (dry.charged) {
    DPFERMI_ASSIGN(dry.budget, paying_budget(job.spending, data));
  }
  if (dry.plan.noise_multiplier == 0) return dry;
  DPFERMI_ASSIGN(const JointPlan releases,
                 dry.plan.sketch ? sketch_releases(*dry.plan.sketch) : fermi_releases(dry.plan));
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

bool fits(const DryRun& dry) {
  if (!dry.budget || !dry.budget->cap) return true;
  if (dry.plan.noise_multiplier == 0) return !dry.charged;
  const auto epsilon = Amount::from(dry.plan.certified_epsilon, Rounding::kUp);
  const auto delta = Amount::from(dry.plan.delta, Rounding::kUp);
  return epsilon && delta && *epsilon <= dry.budget->left_epsilon() &&
         *delta <= dry.budget->left_delta();
}

Status check_before_network(const TrainingJob& job) {
  const bool planned_here = job.request.method->is_planned() && job.request.method->public_plan;
  // What goes on was planned and paid for before.
  if (!planned_here || !job.checkpoint.resume.empty() || !job.sketch.empty()) return {};
  Observer silent;
  DPFERMI_ASSIGN(const DryRun dry, plan_run_before_network(silent, job));
  if (fits(dry)) return {};
  const auto number = [](const Amount& amount) {
    return shortest(amount.to_double(Rounding::kDown));
  };
  return budget_refused(fmt::format(
      "budget '{}' does not cover the run: it needs {} but epsilon {}, delta {} are left; choose a "
      "smaller `epsilon` (no network was trained)",
      printable(dry.budget->name),
      dry.plan.noise_multiplier > 0
          ? fmt::format("epsilon {}, delta {}", shortest(dry.plan.certified_epsilon),
                        shortest(dry.plan.delta))
          : "an infinite epsilon",
      number(dry.budget->left_epsilon()), number(dry.budget->left_delta())));
}

}  // namespace dpfermi
