#include "workflow/sketch_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/mutant.h"
#include "core/text.h"
#include "dpfermi/core/version.h"
#include "workflow/output_file.h"
#include "workflow/same_work.h"

namespace dpfermi {
namespace {

Status check_sketch_job(const SketchJob& job) {
  std::vector<std::string> taken = job.choice.inputs();
  std::ranges::copy(job.spending.files(), std::back_inserter(taken));
  if (!job.features.model_file.empty()) taken.push_back(job.features.model_file);
  if (!job.out.empty() && job.team->leads()) DPFERMI_TRY(check_writable(job.out, "out", taken));
  const Schema& schema = job.choice.request.schema;
  if (schema.target.column.empty()) {
    return usage_error("name the column to predict with `target`");
  }
  if (schema.sensitive.empty()) return usage_error("name the protected columns with `sensitive`");
  return job.spending.check(job.seed.has_value());
}

/// The job with what its encoding settles.
Result<SketchJob> with_encoding(SketchJob job) {
  if (!job.encoding) return job;
  const SharedEncoding& encoding = *job.encoding;
  if (job.features.kind || job.features.details.clip_norm != 0 ||
      !job.features.model_file.empty()) {
    return usage_error(
        "the encoding says what is summed up; leave out `features.kind`, `features.clip_norm` and "
        "`features.model_file`");
  }
  if (job.split.fraction(Adjacency::kSensitive) != 0) {
    return usage_error("parts are merged whole; leave out `test_fraction`");
  }
  job.choice = job.choice.read_as(encoding.schema);
  job.features.details.clip_norm = encoding.clip_norm;
  job.features.details.kappa = encoding.kappa;
  return job;
}

/// A sketch that may become a part of a merged one.
void add_part(const SketchJob& job, const PreparedData& data, StoredSketch& stored) {
  if (!job.encoding) return;
  stored.encoding = job.encoding;
  stored.parts = {{stored.data, data.train.rows(), stored.sketch.units, stored.fingerprint,
                   stored.sketch.statement.cost.value_or(PrivacyCost{})}};
}

StoredSketch stored_sketch(const SketchJob& job, const PreparedData& data, Sketch sketch,
                           std::string fingerprint) {
  StoredSketch stored;
  const Table& table = data.table;
  sketch.statement.id_column = table.schema.id;
  sketch.statement.domain_declared = table.domain.declared();
  std::vector<std::string>& assumptions = sketch.statement.assumptions;
  if (!sketch.features.model_digest.empty()) {
    assumptions.push_back(fmt::format(
        "the model that gave the features (sha256 {}), which has its own privacy statement",
        sketch.features.model_digest.substr(0, 16)));
  }
  if (job.spending.research) assumptions.emplace_back(Spending::kOnlyRelease);
  stored.sketch = std::move(sketch);
  stored.columns = data.pipeline.column_names();
  stored.target = table.schema.target.column;
  stored.classes = table.labels.classes;
  stored.groups = table.domain.names();
  stored.protected_part = protected_part(table);
  stored.join = table.schema.join;
  stored.fingerprint = std::move(fingerprint);
  if (const double fraction = job.split.fraction(table.schema.adjacency); fraction > 0) {
    stored.held_out = HeldOut{fraction, job.split.seed};
  }
  stored.data = job.choice.title;
  stored.library_version = version();
  add_part(job, data, stored);
  return stored;
}

}  // namespace

Result<SharedEncoding> make_encoding(const TableChoice& choice) {
  Schema asked = choice.request.schema;
  if (!features_are_public(asked.adjacency)) {
    return usage_error("an encoding takes features for public; use `adjacency` sensitive");
  }
  if (asked.target.column.empty()) return usage_error("name the column to predict with `target`");
  if (asked.sensitive.empty()) return usage_error("name the protected columns with `sensitive`");
  asked.groups_from_data = false;
  DPFERMI_TRY(check_groups_declared(asked));
  if (contains(choice.request.files, "-")) {
    return usage_error("the table of an encoding is read more than once; save it to a file first");
  }
  TableRequest request = choice.request;
  request.schema.sensitive_file.clear();
  request.schema.join.clear();
  DPFERMI_ASSIGN(const std::vector<std::string> names, read_column_names(request));
  request.schema.sensitive.clear();
  for (const std::string& name : names) {
    const bool is_protected = std::ranges::count(asked.sensitive, name, &SensitiveSpec::column) > 0;
    if (!is_protected && repeated_sensitive(asked, name) == nullptr) continue;
    if (!contains(request.schema.drop, name)) request.schema.drop.push_back(name);
    request.schema.columns.erase(name);
  }
  for (const SensitiveSpec& spec : asked.sensitive) request.schema.columns.erase(spec.column);
  DPFERMI_ASSIGN(const Table table, read_table(request));
  DPFERMI_ASSIGN(const EncodedSplit encoded, encode_split(table, {all_rows(table), {}}));
  DPFERMI_ASSIGN(const SketchFeatures features, SketchFeatures::create(encoded.train, {}));
  SharedEncoding encoding{model_schema(table), encoded.pipeline, features.spec().clip_norm,
                          features.spec().kappa};
  encoding.schema.sensitive = asked.sensitive;
  encoding.schema.id = asked.id;
  for (const SensitiveSpec& spec : asked.sensitive) {
    const auto known = asked.columns.find(spec.column);
    if (known != asked.columns.end()) encoding.schema.columns.insert(*known);
  }
  return encoding;
}

Result<SketchOutcome> run_sketch(const SketchJob& given, const PreparedData* loaded) {
  DPFERMI_ASSIGN(const SketchJob job, with_encoding(given));
  DPFERMI_TRY(check_sketch_job(job));
  std::optional<PreparedData> own;
  if (loaded == nullptr || job.encoding) {
    DPFERMI_ASSIGN(own, prepare_data(job.choice, job.split,
                                     job.encoding ? &job.encoding->pipeline : nullptr, *job.team));
    loaded = nullptr;
  }
  const PreparedData& data = loaded != nullptr ? *loaded : *own;
  if (data.table.domain.size() == 0) {
    return failed(fmt::format("{}: has none of the protected columns; name a table that has them",
                              job.choice.title));
  }
  SketchRequest request = job.request;
  request.adjacency = data.table.schema.adjacency;
  DPFERMI_ASSIGN(const SketchFeatures features, job.features.features(data.train));
  DPFERMI_ASSIGN(const SketchPlan plan,
                 plan_sketch(request, data.train, data.table.labels.positive, features));
  DPFERMI_ASSIGN(std::string fingerprint,
                 public_fingerprint(data.train, data.pipeline.column_names()));
  const FeatureMapSpec& phi = plan.features;
  const auto settings = [&] {
    return fmt::format("{} {} {} {} {} {} {} {} {} {}", to_json(data.pipeline),
                       to_json(data.table.schema), to_string(plan.setting.notion),
                       to_string(phi.kind), phi.extra, phi.seed, phi.clip_norm, phi.kappa,
                       phi.model_digest, plan.noise_multiplier);
  };
  DPFERMI_TRY(check_same_work(*job.team, data.train, job.seed, settings));
  if (mutant(Mutant::kChecksumOfGroups))
    fingerprint += std::to_string(ExactForHolder::read(data.train.s).front());
  DPFERMI_ASSIGN(Spending spending,
                 Spending::start(job.spending, data.files, data.table, *job.team));
  DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(job.seed, *job.team));
  DPFERMI_ASSIGN(Sketch sketch,
                 make_sketch(data.train, features, plan, spending.ledger(), std::move(noise)));
  SketchOutcome outcome;
  outcome.sketch = stored_sketch(job, data, std::move(sketch), std::move(fingerprint));
  DPFERMI_TRY(spending.stamp(outcome.sketch.sketch.statement));
  // Every process has come this far before there is a file.
  DPFERMI_TRY(job.team->meet());
  if (!job.out.empty() && job.team->leads()) DPFERMI_TRY(write_sketch(outcome.sketch, job.out));
  DPFERMI_TRY(spending.ledger().commit());
  DPFERMI_ASSIGN(outcome.charge, spending.record());
  return outcome;
}

}  // namespace dpfermi
