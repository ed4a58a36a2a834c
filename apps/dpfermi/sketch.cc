// dpfermi sketch: run where s lives; one charged release, one small file, any number of models.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli.h"
#include "dpfermi/artifact/sketch_file.h"
#include "dpfermi/core/text.h"
#include "dpfermi/core/version.h"
#include "noise.h"
#include "output_file.h"
#include "prepared_data.h"
#include "sketch_options.h"
#include "spending.h"

namespace dpfermi::cli {
namespace {

using Json = nlohmann::ordered_json;

struct SketchFlags {
  TableOptions table;
  SketchOptions sketch;
  SplitChoice split{0.0};
  SpendingChoice spending;
  std::string fairness = "dp", out;
  SketchRequest request;
  std::optional<std::uint64_t> seed;
};

Status check_flags(const SketchFlags& flags, const TableChoice& choice) {
  std::vector<std::string> taken = choice.inputs();
  std::ranges::copy(flags.spending.files(), std::back_inserter(taken));
  if (!flags.sketch.model_file().empty()) taken.push_back(flags.sketch.model_file());
  DPFERMI_TRY(check_writable(flags.out, "--out", taken));
  const Schema& schema = choice.request.schema;
  if (schema.target.column.empty()) {
    return usage_error("name the column to predict with --target");
  }
  if (schema.sensitive.empty()) return usage_error("name the protected columns with --sensitive");
  return flags.spending.check();
}

StoredSketch store(const SketchFlags& flags, const TableChoice& choice, const PreparedData& data,
                   Sketch sketch, std::string fingerprint) {
  StoredSketch stored;
  const Table& table = data.table;
  sketch.statement.id_column = table.schema.id;
  sketch.statement.domain_declared = table.domain.declared();
  std::vector<std::string>& assumptions = sketch.statement.assumptions;
  if (!sketch.features.model_digest.empty()) {
    assumptions.push_back(fmt::format(
        "the model that gave the features (sha256 {}), which has a privacy statement of its own",
        sketch.features.model_digest.substr(0, 16)));
  }
  if (flags.spending.research) assumptions.emplace_back(Spending::kOnlyRelease);
  stored.sketch = std::move(sketch);
  stored.columns = data.pipeline.column_names();
  stored.target = table.schema.target.column;
  stored.classes = table.labels.classes;
  stored.groups = table.domain.names();
  stored.protected_part = protected_part(table);
  stored.fingerprint = std::move(fingerprint);
  if (const double fraction = flags.split.fraction(table.schema.adjacency); fraction > 0) {
    stored.held_out = HeldOut{fraction, flags.split.seed};
  }
  stored.data = choice.title;
  stored.library_version = version();
  return stored;
}

Status print_sketch(const Context& context, const StoredSketch& stored, const Spending& spending,
                    const SketchFlags& flags) {
  DPFERMI_ASSIGN(const std::optional<LedgerPlace> place, spending.place());
  if (context.json) {
    DPFERMI_ASSIGN(const std::string header, header_to_json(stored));
    Json json = Json::parse(header);
    json["recorded"] = recorded_json(flags.spending.research, spending.path(), place);
    json["file"] = printable(flags.out, SIZE_MAX);
    Context::print(json.dump(2) + "\n");
    return {};
  }
  std::string text = describe_card(stored);
  text += recorded_text(flags.spending.research, spending.path(), place);
  text += fmt::format("\nsketch {}\n", flags.out);
  Context::print(text);
  return {};
}

Status make(const Context& context, const SketchFlags& flags) {
  DPFERMI_ASSIGN(const TableChoice choice, flags.table.resolve());
  DPFERMI_TRY(check_flags(flags, choice));
  DPFERMI_ASSIGN(const PreparedData data, prepare_data(choice, flags.split));
  SketchRequest request = flags.request;
  DPFERMI_ASSIGN(request.notion, parse_fairness_notion(flags.fairness));
  request.adjacency = data.table.schema.adjacency;
  DPFERMI_ASSIGN(const SketchFeatures features, flags.sketch.features(data.train));
  DPFERMI_ASSIGN(const SketchPlan plan,
                 plan_sketch(request, data.train, data.table.labels.positive, features));
  DPFERMI_ASSIGN(std::string fingerprint,
                 public_fingerprint(data.train, data.pipeline.column_names()));
  DPFERMI_ASSIGN(Spending spending, Spending::start(flags.spending, data.files, data.table));
  DPFERMI_ASSIGN(NoiseSource noise, noise_source(flags.seed));
  DPFERMI_ASSIGN(Sketch sketch,
                 make_sketch(data.train, features, plan, spending.ledger(), std::move(noise)));
  const StoredSketch stored = store(flags, choice, data, std::move(sketch), std::move(fingerprint));
  DPFERMI_TRY(write_sketch(stored, flags.out));
  DPFERMI_TRY(spending.ledger().commit());
  return print_sketch(context, stored, spending, flags);
}

}  // namespace

void add_sketch(CLI::App& app, Context& context) {
  const auto flags = std::make_shared<SketchFlags>();
  CLI::App* verb = add_verb(
      app, context, "sketch", "Release a private sketch that fair models can be trained from",
      "  dpfermi sketch people.csv --target income --sensitive sex --epsilon 0.5 \\\n"
      "      --out people.sketch\n"
      "  dpfermi train public.csv --target income --sketch people.sketch --out people.model",
      [&context, flags] { return make(context, *flags); });
  flags->table.add_to(*verb);
  const std::string goal = "Goal";
  verb->add_option("--fairness", flags->fairness, sketch_notion_choices())
      ->capture_default_str()
      ->group(goal);
  verb->add_option("--epsilon", flags->request.epsilon, "Privacy: epsilon of the sketch")
      ->capture_default_str()
      ->group(goal);
  verb->add_option("--delta", flags->request.delta, "Privacy: delta of the sketch (default 1/n^2)")
      ->group(goal);
  add_seed(*verb, flags->seed, goal);
  flags->sketch.add_to(*verb);
  flags->spending.add_to(*verb);
  flags->split.add_to(*verb, "Share of rows kept for testing (default 0: none)");
  verb->add_option("--out", flags->out, "The sketch file to write")->required();
}

}  // namespace dpfermi::cli
