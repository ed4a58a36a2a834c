// dpfermi pack: a table read, split and encoded once, for many runs.

#include <fmt/format.h>

#include "cli.h"
#include "core/text.h"
#include "flags/run_flags.h"
#include "flags/table_options.h"
#include "privacy/json_fields.h"
#include "workflow/pack_run.h"

namespace dpfermi::cli {
namespace {

struct PackFlags {
  TableOptions table;
  PackJob job;
};

Status make_pack(const Context& context, const PackFlags& flags) {
  PackJob job = flags.job;
  DPFERMI_ASSIGN(job.choice, flags.table.resolve());
  if (job.choice.pack)
    return usage_error("the table is a pack already; name the one it is made of");
  DPFERMI_ASSIGN(const PackOutcome outcome, pack_table(job));
  const std::size_t rows = outcome.train_rows + outcome.test_rows;
  if (context.json) {
    const Json json = {{"file", printable(job.out, SIZE_MAX)},
                       {"train_rows", outcome.train_rows},
                       {"test_rows", outcome.test_rows},
                       {"inputs", outcome.columns},
                       {"bytes", outcome.bytes},
                       {"with_sensitive", outcome.with_groups}};
    Context::print(json_text(json) + "\n");
    return {};
  }
  Context::print(fmt::format(
      "pack       {}: {} training rows, {} test rows, {} inputs; {} bytes, {:.1f} a row\n"
      "protected  {}\n",
      printable(job.out, SIZE_MAX), with_thousands(outcome.train_rows),
      with_thousands(outcome.test_rows), outcome.columns, with_thousands(outcome.bytes),
      static_cast<double>(outcome.bytes) / static_cast<double>(rows),
      outcome.with_groups ? "holds protected values, as its table does: readable by its owner alone"
                          : "no protected columns"));
  return {};
}

}  // namespace

void add_pack(CLI::App& app, Context& context) {
  const auto [verb, flags] = add_verb<PackFlags>(
      app, context, "pack", "Read, split and encode a table once, for many runs",
      "  dpfermi pack people.parquet --target income --sensitive sex --sensitive-values "
      "sex=f,m \\\n"
      "      --out people.pack\n"
      "  dpfermi train people.pack --epsilon 1 --out people.model",
      make_pack);
  flags->table.add_to(*verb);
  add_split_flags(*verb, flags->job.split,
                  "Share of rows kept for testing; 0: none (default 0.25, and 0 where records "
                  "are protected)");
  verb->add_flag("--without-sensitive", flags->job.without_sensitive,
                 "Leave the protected columns out: for those who train from a sketch");
  verb->add_option("--out", flags->job.out, "The pack to write")->required();
}

}  // namespace dpfermi::cli
