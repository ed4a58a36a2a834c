#include "dry_run.h"

#include <filesystem>

#include "build_model.h"
#include "dpfermi/optimize/dp_fermi.h"
#include "dpfermi/optimize/sketch_method.h"
#include "network_training.h"

namespace dpfermi::cli {
namespace {

/// The budget as the ledger on disk has it; nothing is written to it.
Result<std::optional<BudgetState>> paying_budget(const SpendingChoice& choice,
                                                 const PreparedData& data) {
  if (choice.research) return std::nullopt;
  DPFERMI_ASSIGN(const auto path, ledger_path(choice.ledger));
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  DPFERMI_ASSIGN(const LedgerFile file, LedgerFile::open(path));
  DPFERMI_ASSIGN(const BudgetKey key, find_budget(choice, data.files, data.table, file));
  return find_state(key, file);
}

}  // namespace

Result<DryRun> plan_run(const Context& context, TrainingJob job) {
  if (job.baseline != nullptr) {
    return usage_error("--dry-run plans our own methods; leave it out, or choose one of them");
  }
  DPFERMI_TRY(check_request(job));
  if (!job.checkpoint.resume.empty()) {
    return usage_error("--dry-run plans a new run; leave out --resume");
  }
  if (!job.sketch.empty()) {
    return usage_error("a model from a sketch file spends nothing; leave out --dry-run");
  }
  if (job.request.method == Method::kDpFermiPaper) {
    return usage_error(
        "the paper's noise follows from group counts, which a dry run does not read; "
        "leave out --dry-run");
  }
  DPFERMI_ASSIGN(const PreparedData data, prepare_data(job.choice, job.split));
  if (job.whole_network) DPFERMI_TRY(open_network(context, job));
  DryRun dry;
  DPFERMI_ASSIGN(dry.plan, plan_job(job, data));
  note_assumptions(context, data.table);
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

}  // namespace dpfermi::cli
