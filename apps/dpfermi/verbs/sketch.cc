// dpfermi sketch: run where s lives; one charged release, one small file, any number of models.

#include <fmt/format.h>

#include <memory>

#include "artifact/artifact_json.h"
#include "cli.h"
#include "core/text.h"
#include "flags/run_flags.h"
#include "flags/sketch_options.h"
#include "flags/table_options.h"
#include "print/charge_record.h"
#include "verbs/sign_output.h"
#include "workflow/outcome_json.h"
#include "workflow/output_file.h"
#include "workflow/sketch_run.h"

namespace dpfermi::cli {
namespace {

struct SketchFlags {
  TableOptions table;
  SketchOptions features;
  std::string fairness = "dp";
  SketchJob job;
  bool force = false;
};

Status print_sketch(const Context& context, const SketchOutcome& outcome, const std::string& out) {
  if (context.json) {
    DPFERMI_ASSIGN(Json json, json_of(outcome.sketch));
    json["recorded"] = json_of(outcome.charge);
    json["file"] = printable(out, SIZE_MAX);
    Context::print(json_text(json) + "\n");
    return {};
  }
  Context::print(describe_card(outcome.sketch) + recorded_text(outcome.charge) +
                 fmt::format("\nsketch {}\n", out));
  return {};
}

Status make_sketch_file(const Context& context, const SketchFlags& flags) {
  SketchJob job = flags.job;
  if (!flags.force) DPFERMI_TRY(check_not_paid_for(job.out, "out"));
  DPFERMI_ASSIGN(job.choice, flags.table.resolve());
  DPFERMI_ASSIGN(job.features, flags.features.choice());
  DPFERMI_ASSIGN(job.request.notion, parse_fairness_notion(flags.fairness));
  DPFERMI_ASSIGN(const SketchOutcome outcome, run_sketch(job));
  sign_output(context, job.out, outcome.charge);
  return print_sketch(context, outcome, job.out);
}

}  // namespace

void add_sketch(CLI::App& app, Context& context) {
  const auto flags = std::make_shared<SketchFlags>();
  CLI::App* verb = add_verb(
      app, context, "sketch", "Release a private sketch that fair models can be trained from",
      "  dpfermi sketch people.csv --target income --sensitive sex --sensitive-values sex=f,m \\\n"
      "      --epsilon 0.5 --out people.sketch\n"
      "  dpfermi train public.csv --target income --sketch people.sketch --out people.model",
      [&context, flags] { return make_sketch_file(context, *flags); });
  flags->table.add_to(*verb);
  const std::string goal = "Goal";
  verb->add_option("--fairness", flags->fairness, sketch_notion_choices())
      ->capture_default_str()
      ->group(goal);
  verb->add_option("--epsilon", flags->job.request.epsilon, "Privacy: epsilon of the sketch")
      ->capture_default_str()
      ->group(goal);
  verb->add_option("--delta", flags->job.request.delta,
                   "Privacy: delta of the sketch (default 1/n^2)")
      ->group(goal);
  add_seed(*verb, flags->job.seed, goal);
  flags->features.add_to(*verb);
  add_spending_flags(*verb, flags->job.spending);
  add_split_flags(*verb, flags->job.split, "Share of rows kept for testing (default 0: none)");
  verb->add_option("--out", flags->job.out, "The sketch file to write")->required();
  add_force(*verb, flags->force);
}

}  // namespace dpfermi::cli
