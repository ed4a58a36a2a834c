#include "workflow/sketch_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "dpfermi/core/version.h"
#include "workflow/output_file.h"

namespace dpfermi {
namespace {

Status check_sketch_job(const SketchJob& job) {
  std::vector<std::string> taken = job.choice.inputs();
  std::ranges::copy(job.spending.files(), std::back_inserter(taken));
  if (!job.features.model_file.empty()) taken.push_back(job.features.model_file);
  if (!job.out.empty()) DPFERMI_TRY(check_writable(job.out, "out", taken));
  const Schema& schema = job.choice.request.schema;
  if (schema.target.column.empty()) {
    return usage_error("name the column to predict with `target`");
  }
  if (schema.sensitive.empty()) return usage_error("name the protected columns with `sensitive`");
  return job.spending.check(job.seed.has_value());
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
        "the model that gave the features (sha256 {}), which has a privacy statement of its own",
        sketch.features.model_digest.substr(0, 16)));
  }
  if (job.spending.research) assumptions.emplace_back(Spending::kOnlyRelease);
  stored.sketch = std::move(sketch);
  stored.columns = data.pipeline.column_names();
  stored.target = table.schema.target.column;
  stored.classes = table.labels.classes;
  stored.groups = table.domain.names();
  stored.protected_part = protected_part(table);
  stored.fingerprint = std::move(fingerprint);
  if (const double fraction = job.split.fraction(table.schema.adjacency); fraction > 0) {
    stored.held_out = HeldOut{fraction, job.split.seed};
  }
  stored.data = job.choice.title;
  stored.library_version = version();
  return stored;
}

}  // namespace

Result<SketchOutcome> run_sketch(const SketchJob& job, const PreparedData* loaded) {
  DPFERMI_TRY(check_sketch_job(job));
  std::optional<PreparedData> own;
  if (loaded == nullptr) {
    DPFERMI_ASSIGN(own, prepare_data(job.choice, job.split));
  }
  const PreparedData& data = loaded != nullptr ? *loaded : *own;
  SketchRequest request = job.request;
  request.adjacency = data.table.schema.adjacency;
  DPFERMI_ASSIGN(const SketchFeatures features, job.features.features(data.train));
  DPFERMI_ASSIGN(const SketchPlan plan,
                 plan_sketch(request, data.train, data.table.labels.positive, features));
  DPFERMI_ASSIGN(std::string fingerprint,
                 public_fingerprint(data.train, data.pipeline.column_names()));
  DPFERMI_ASSIGN(Spending spending, Spending::start(job.spending, data.files, data.table));
  DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(job.seed));
  DPFERMI_ASSIGN(Sketch sketch,
                 make_sketch(data.train, features, plan, spending.ledger(), std::move(noise)));
  SketchOutcome outcome;
  outcome.sketch = stored_sketch(job, data, std::move(sketch), std::move(fingerprint));
  DPFERMI_TRY(spending.stamp(outcome.sketch.sketch.statement));
  if (!job.out.empty()) DPFERMI_TRY(write_sketch(outcome.sketch, job.out));
  DPFERMI_TRY(spending.ledger().commit());
  DPFERMI_ASSIGN(outcome.charge, spending.record());
  return outcome;
}

}  // namespace dpfermi
