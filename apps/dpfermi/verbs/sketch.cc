// dpfermi sketch: run where s lives; one charged release, one small file, any number of models.

#include <fmt/format.h>

#include <memory>

#include "artifact/artifact_json.h"
#include "artifact/merge_sketches.h"
#include "cli.h"
#include "core/file.h"
#include "core/text.h"
#include "flags/run_flags.h"
#include "flags/sketch_options.h"
#include "flags/table_options.h"
#include "print/charge_record.h"
#include "verbs/sign_output.h"
#include "workflow/outcome_json.h"
#include "workflow/output_file.h"
#include "workflow/pack_run.h"
#include "workflow/sketch_run.h"

namespace dpfermi::cli {
namespace {

struct SketchFlags {
  TableOptions table;
  SketchOptions features;
  std::string fairness = "dp";
  std::string encoding;  ///< a file
  SketchJob job;
  bool force = false;
};

/// `charge`: where the sketch was just paid for.
Status print_sketch(const Context& context, const StoredSketch& sketch, const std::string& out,
                    const ChargeRecord* charge) {
  if (context.json) {
    DPFERMI_ASSIGN(Json json, json_of(sketch));
    if (charge != nullptr) json["recorded"] = json_of(*charge);
    json["file"] = printable(out, SIZE_MAX);
    Context::print(json_text(json) + "\n");
    return {};
  }
  Context::print(describe_card(sketch) + (charge != nullptr ? recorded_text(*charge) : "") +
                 fmt::format("\nsketch {}\n", out));
  return {};
}

Status make_sketch_file(const Context& context, const SketchFlags& flags) {
  SketchJob job = flags.job;
  job.team = context.team;
  if (job.out.empty()) return usage_error("name the sketch file to write with --out");
  if (!flags.force && job.team->leads()) DPFERMI_TRY(check_not_paid_for(job.out, "out"));
  if (flags.encoding.empty()) {
    DPFERMI_ASSIGN(job.choice, flags.table.resolve());
    DPFERMI_TRY(settle_split(job.choice, SketchJob{}.split, job.split));
  } else {
    if (!flags.table.plain_columns()) {
      return usage_error(
          "--encoding says what the columns mean; leave out the flags about columns and groups");
    }
    DPFERMI_ASSIGN(job.choice, flags.table.resolve_file());
    DPFERMI_ASSIGN(const std::string text, read_text_file(flags.encoding));
    DPFERMI_ASSIGN(job.encoding, parse_encoding(text, flags.encoding));
  }
  DPFERMI_ASSIGN(job.features, flags.features.choice());
  DPFERMI_ASSIGN(job.request.notion, parse_fairness_notion(flags.fairness));
  DPFERMI_ASSIGN(const SketchOutcome outcome, run_sketch(job));
  if (!context.team->leads()) return {};
  sign_output(context, job.out, outcome.charge);
  return print_sketch(context, outcome.sketch, job.out, &outcome.charge);
}

struct EncodingFlags {
  TableOptions table;
  std::string out;
};

/// Made of public columns alone: nothing is charged.
Status make_encoding_file(const EncodingFlags& flags) {
  DPFERMI_ASSIGN(const TableChoice choice, flags.table.resolve());
  DPFERMI_TRY(check_writable(flags.out, "out", choice.inputs()));
  DPFERMI_ASSIGN(const SharedEncoding encoding, make_encoding(choice));
  DPFERMI_ASSIGN(const std::string text, to_json(encoding));
  DPFERMI_TRY(write_file_atomically(flags.out, text));
  Context::print(fmt::format("encoding {}\n", flags.out));
  return {};
}

void add_encoding(CLI::App& sketch, Context& context) {
  const auto flags = std::make_shared<EncodingFlags>();
  CLI::App* verb =
      add_verb(sketch, context, "encoding",
               "Fix how rows are encoded, so that sketches of several holders fit",
               "  dpfermi sketch encoding public.csv --target income --sensitive sex \\\n"
               "      --sensitive-values sex=f,m --out income.encoding",
               [flags] { return make_encoding_file(*flags); });
  flags->table.add_to(*verb);
  verb->add_option("--out", flags->out, "The encoding file to write")->required();
}

struct MergeFlags {
  std::vector<std::string> parts;
  bool disjoint = false;
  std::string out;
};

Status merge_sketch_files(const Context& context, const MergeFlags& flags) {
  DPFERMI_TRY(check_writable(flags.out, "out", flags.parts));
  std::vector<StoredSketch> parts;
  for (const std::string& file : flags.parts) {
    DPFERMI_ASSIGN(StoredSketch part, read_sketch(file));
    parts.push_back(std::move(part));
  }
  DPFERMI_ASSIGN(
      const StoredSketch merged,
      merge_sketches(parts, flags.disjoint ? PartPeople::kDisjoint : PartPeople::kOverlapping));
  DPFERMI_TRY(write_sketch(merged, flags.out));
  return print_sketch(context, merged, flags.out, nullptr);
}

void add_merge(CLI::App& sketch, Context& context) {
  const auto [verb, flags] = add_verb<MergeFlags>(
      sketch, context, "merge", "Add the sketches of several holders",
      "  dpfermi sketch merge north.sketch south.sketch --disjoint --out all.sketch",
      merge_sketch_files);
  verb->add_option("parts", flags->parts, "Sketch files made with one encoding")
      ->type_name("SKETCH")
      ->required();
  verb->add_flag("--disjoint", flags->disjoint,
                 "No person is in two parts: the largest epsilon counts, not their sum");
  verb->add_option("--out", flags->out, "The sketch file to write")->required();
}

}  // namespace

void add_sketch(CLI::App& app, Context& context) {
  const auto flags = std::make_shared<SketchFlags>();
  CLI::App* verb = add_verb(
      app, context, "sketch", "Release a private sketch that fair models can be trained from",
      "  dpfermi sketch people.csv --target income --sensitive sex --sensitive-values sex=f,m \\\n"
      "      --epsilon 0.5 --out people.sketch\n"
      "  dpfermi train public.csv --target income --sketch people.sketch --out people.model",
      {});
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
  verb->add_option("--encoding", flags->encoding,
                   "Encoding file, instead of flags about columns; see: sketch encoding")
      ->group("Sketch");
  verb->add_option("--out", flags->job.out, "The sketch file to write");
  add_force(*verb, flags->force);
  add_encoding(*verb, context);
  add_merge(*verb, context);
  // CLI11 calls back a verb after the one below it, which was meant.
  verb->callback([&context, flags, verb] {
    if (verb->get_subcommands().empty()) {
      context.action = [&context, flags] { return make_sketch_file(context, *flags); };
    }
  });
}

}  // namespace dpfermi::cli
