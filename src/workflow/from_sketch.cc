#include "workflow/from_sketch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.h"

namespace dpfermi {

namespace {

/// How messages call the sketch.
std::string name_of_sketch(const TrainingJob& job) {
  return job.sketch.empty() ? "the sketch" : job.sketch;
}

/// Where s is available it must be read as it was for the sketch: its groups have their names
/// there.
Status adopt_domain(const StoredSketch& stored, Schema& schema) {
  if (schema.sensitive.empty()) return {};
  const std::vector<SensitiveSpec>& known = stored.protected_part.sensitive;
  const bool same =
      std::ranges::equal(schema.sensitive, known, [](const auto& asked, const auto& spec) {
        return asked.column == spec.column &&
               (asked.values.empty() || asked.values == spec.values) &&
               (asked.bins.empty() || asked.bins == spec.bins);
      });
  if (!same) {
    std::vector<std::string> columns;
    for (const SensitiveSpec& spec : known) columns.push_back(printable(spec.column));
    return usage_error(
        fmt::format("the sketch is about other protected columns or values: {} with the groups {}; "
                    "name those columns, without values",
                    fmt::join(columns, ", "), fmt::join(stored.groups, ", ")));
  }
  // A list of groups that was read from the data is read from them again.
  schema.groups_from_data = !stored.sketch.statement.domain_declared;
  if (!schema.groups_from_data) set_protected_part(stored.protected_part, schema);
  return {};
}

/// A person's id and the key of the protected file were no inputs of the sketch. A table may lack
/// them, or the job may say what they are.
Status adopt_keys(const StoredSketch& stored, TableChoice& choice) {
  Schema& schema = choice.request.schema;
  const std::string& id = stored.sketch.statement.id_column;
  if (choice.pack || (id.empty() && stored.join.empty())) return {};
  std::optional<std::vector<std::string>> present;  // standard input is read once
  if (!contains(choice.request.files, "-")) {
    DPFERMI_ASSIGN(present, read_column_names(choice.request));
  }
  const auto is_open = [&](const std::string& name) {
    Schema roles = schema;
    roles.columns.clear();
    const bool taken = contains(named_columns(roles), name);
    return !name.empty() && !taken && (!present || contains(*present, name));
  };
  if (schema.id.empty() && is_open(id)) schema.id = id;
  if (is_open(stored.join)) schema.drop.push_back(stored.join);
  return {};
}

Status check_target(const StoredSketch& stored, const TrainingJob& job, const std::string& asked) {
  if (asked == stored.target) return {};
  return usage_error(fmt::format(
      "{}: the sketch was made to predict '{}', not '{}'; use `target` {}", name_of_sketch(job),
      printable(stored.target), printable(asked), printable(stored.target)));
}

/// An encoding that was fixed beforehand says what columns mean; protected ones are read where the
/// job names them.
Status adopt_encoding(const StoredSketch& stored, TrainingJob& job) {
  const Schema& asked = job.choice.request.schema;
  DPFERMI_TRY(check_target(stored, job, asked.target.column));
  TableChoice choice = job.choice.read_as(stored.encoding->schema);
  if (asked.sensitive.empty()) choice.request.schema.sensitive.clear();
  choice.request.schema.scores = asked.scores;
  choice.request.schema.score_prefix = asked.score_prefix;
  job.choice = std::move(choice);
  return {};
}

}  // namespace

Status adopt_sketch(const StoredSketch& stored, TrainingJob& job) {
  if (!job.request.method->takes_sketch()) {
    return usage_error(fmt::format("`sketch` is itself a method; leave out `method` {}",
                                   to_string(job.request.method)));
  }
  if (job.spending.ledger || !job.spending.budget.empty()) {
    return usage_error("a sketch was paid for when it was made; leave out `ledger` and `budget`");
  }
  if (!job.checkpoint.file.empty() || !job.checkpoint.resume.empty()) {
    return usage_error(
        "checkpoints are for runs that are charged by steps; leave out `checkpoint.file`");
  }
  const double fraction = stored.held_out ? stored.held_out->fraction : 0;
  if (job.split.test_fraction && *job.split.test_fraction != fraction) {
    return usage_error(
        fmt::format("the sketch was made with `test_fraction` {:g}; leave the flag out", fraction));
  }
  job.split.test_fraction = fraction;
  if (stored.held_out) job.split.seed = stored.held_out->seed;
  DPFERMI_TRY(adopt_domain(stored, job.choice.request.schema));
  return stored.encoding ? adopt_encoding(stored, job) : adopt_keys(stored, job.choice);
}

Status check_sketch(const StoredSketch& stored, const TrainingJob& job, const PreparedData& data) {
  const Table& table = data.table;
  if (table.schema.adjacency != Adjacency::kSensitive) {
    return usage_error("a sketch promises adjacency sensitive; leave out `adjacency`");
  }
  DPFERMI_TRY(check_target(stored, job, table.schema.target.column));
  if (table.domain.size() > 0 && table.domain.names() != stored.groups) {
    return usage_error(
        fmt::format("{}: the sketch knows the groups {}, this table has {}; read the protected "
                    "columns as they were read for the sketch",
                    name_of_sketch(job), fmt::join(stored.groups, ", "),
                    fmt::join(table.domain.names(), ", ")));
  }
  auto same =
      check_same_data(stored, data.train, data.pipeline.column_names(), table.labels.classes);
  if (same) return {};
  return tl::unexpected(
      Error{same.error().kind, fmt::format("{}: {}", name_of_sketch(job), same.error().message)});
}

Result<TrainingResult> run_from_sketch(const TrainingJob& job, const PreparedData& data,
                                       const TrainingPlan& plan, const StoredSketch& stored,
                                       NoiseSource noise, const TrainingHooks& hooks) {
  DPFERMI_ASSIGN(const std::optional<FeatureModel> model, job.features.model());
  const FeatureMapSpec& spec = stored.sketch.features;
  if (spec.kind == FeatureKind::kModel && (!model || model->digest != spec.model_digest)) {
    return usage_error(fmt::format(
        "{}: was made with the model of sha256 {}; name its file with `features.model_file`",
        name_of_sketch(job), printable(spec.model_digest)));
  }
  DPFERMI_ASSIGN(const SketchFeatures features,
                 SketchFeatures::create(data.train, spec, model ? &*model : nullptr));
  return plan.method->train_from_sketch(data.train, plan, stored.sketch, features, std::move(noise),
                                        hooks);
}

}  // namespace dpfermi
