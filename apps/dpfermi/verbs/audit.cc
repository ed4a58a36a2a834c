// dpfermi audit: tries to break the privacy claims of this very build, on synthetic data and on the
// user's own settings.

#include "audit/audit.h"

#include <fmt/format.h>

#include <algorithm>

#include "audit/baseline_tiers.h"
#include "cli.h"
#include "core/file.h"
#include "core/text.h"
#include "flags/run_flags.h"
#include "flags/table_options.h"
#include "flags/training_options.h"
#include "print/audit_report.h"
#include "progress.h"
#include "workflow/output_file.h"
#include "workflow/training_run.h"

namespace dpfermi::cli {
namespace {

/// Steps of a generated case.
constexpr std::uint64_t kSteps = 40;

struct AuditFlags {
  TableOptions table;
  TrainingOptions training;
  AuditOptions audit;
  std::string model, out;
};

Status check_promise(Method method) {
  if (method->is_private()) return {};
  return usage_error(
      fmt::format("{} promises no privacy; audit another --method", to_string(method)));
}

/// The run that `train` would make of the same flags on the user's own table, whose protected
/// values are replaced before anything else is done.
Result<AuditCase> own_case(const Context& context, const AuditFlags& flags,
                           const TrainingRequest& request) {
  TrainingJob job;
  DPFERMI_ASSIGN(job.choice, flags.table.resolve());
  job.request = request;
  DPFERMI_TRY(check_columns(job.choice.request.schema, request));
  DPFERMI_ASSIGN(const PreparedData data, prepare_data(job.choice, job.split));
  DPFERMI_ASSIGN(const std::string settled, settle_method(job, data));
  if (!settled.empty()) context.note(settled);
  DPFERMI_TRY(check_promise(job.request.method));
  return rehearsal_of(job.choice.title, data.train, request_for(job.request, data),
                      data.table.labels.positive, flags.audit.seed);
}

/// Without a table the audit has its own cases, with their own settings.
Status check_flags(const std::vector<std::string>& given) {
  const auto idle =
      std::ranges::find_if(given, [](const std::string& flag) { return flag != "--method"; });
  if (idle == given.end()) return {};
  return usage_error(
      fmt::format("{} is a setting of a run on a table; name one, or leave the flag out", *idle));
}

Result<std::vector<AuditCase>> cases_of(const AuditFlags& flags, const MethodDescriptor& baseline) {
  if (flags.table.given()) {
    return usage_error("baselines are audited on synthetic data alone; leave out the table");
  }
  DPFERMI_TRY(check_flags(flags.training.given()));
  return baseline_cases(baseline);
}

/// The table's, if there is one, and every generated case of its adjacency: of the method that was
/// named, or of all that `auto` chooses among.
Result<std::vector<AuditCase>> choose_cases(const Context& context, const AuditFlags& flags,
                                            const TrainingRequest& request) {
  DPFERMI_TRY(check_promise(request.method));
  if (request.method->is_baseline()) return cases_of(flags, request.method.descriptor());
  DPFERMI_ASSIGN(std::optional<Adjacency> adjacency, flags.table.adjacency());
  std::vector<AuditCase> cases;
  if (flags.table.given()) {
    DPFERMI_ASSIGN(AuditCase own, own_case(context, flags, request));
    adjacency = own.request.adjacency;
    cases.push_back(std::move(own));
  } else {
    DPFERMI_TRY(check_flags(flags.training.given()));
  }
  const bool named = request.method != Method::kAuto;
  std::vector<AuditCase> all = named ? standard_cases(kSteps) : private_cases(kSteps);
  for (AuditCase& generated : all) {
    if (named && generated.request.method != request.method) continue;
    if (adjacency && generated.request.adjacency != *adjacency) continue;
    cases.push_back(std::move(generated));
  }
  if (cases.empty()) {
    return usage_error(fmt::format("no generated case is of {} and this adjacency; leave out one",
                                   to_string(request.method)));
  }
  return cases;
}

Status check_out(const AuditFlags& flags) {
  if (flags.out.empty()) return {};
  if (!flags.out.ends_with(".html") && !flags.out.ends_with(".md")) {
    return usage_error(
        fmt::format("--out {}: ends in neither .html nor .md; choose one", printable(flags.out)));
  }
  std::vector<std::string> inputs;
  if (flags.table.given()) {
    DPFERMI_ASSIGN(const TableChoice choice, flags.table.resolve());
    inputs = choice.inputs();
  }
  return check_writable(flags.out, "out", inputs);
}

Status run_audit(const Context& context, const AuditFlags& flags) {
  DPFERMI_TRY(check_out(flags));
  DPFERMI_ASSIGN(TrainingRequest request, flags.training.request());
  DPFERMI_ASSIGN(request.boosted, asks_for_trees(flags.model, "an audit"));
  if (request.boosted && !flags.table.given()) {
    return usage_error("--model is a setting of a run on a table; name one, or leave the flag out");
  }
  DPFERMI_ASSIGN(const std::vector<AuditCase> cases, choose_cases(context, flags, request));
  const bool ours = !request.method->is_baseline();
  Progress progress(context, "auditing");
  DPFERMI_ASSIGN(const AuditReport report,
                 audit(cases, ours ? audit_tiers() : baseline_tiers(), flags.audit,
                       [&](double done, double total) { progress.update(done, total); }));
  if (!flags.out.empty()) {
    const bool html = flags.out.ends_with(".html");
    DPFERMI_TRY(
        write_file_atomically(flags.out, html ? audit_html(report) : audit_markdown(report)));
  }
  Context::print(context.json ? to_json(report) + "\n"
                              : audit_text(report, flags.table.given() ? cases.front().name : ""));
  if (report.green()) return {};
  return failed("the audit is RED; do not rely on what this build promises");
}

}  // namespace

void add_audit(CLI::App& app, Context& context) {
  const auto [verb, flags] = add_verb<AuditFlags>(
      app, context, "audit", "Try to break the privacy claims of this build",
      "  dpfermi audit --quick\n"
      "  dpfermi audit people.csv --target income --sensitive sex --sensitive-values sex=f,m \\\n"
      "      --epsilon 1 --out audit.html\n"
      "  dpfermi audit --dataset adult --method dp-fermi-paper --lambda 1 --epsilon 1\n"
      "  dpfermi audit --method pf-ld --quick",
      run_audit);
  flags->table.add_to(*verb);
  flags->training.add_to(*verb);
  const std::string where = "Audit";
  verb->add_option("--model", flags->model, "boosted: gradient-boosted trees, which repair takes")
      ->group("Model");
  verb->add_flag("--quick", flags->audit.quick,
                 "The short form: seconds instead of a minute, less power")
      ->group(where);
  verb->add_option("--audit-seed", flags->audit.seed, "Of inventions and rehearsals")
      ->check(whole_number())
      ->capture_default_str()
      ->group(where);
  verb->add_option("--out", flags->out, "A page for the model card: .html or .md")->group(where);
}

}  // namespace dpfermi::cli
