#include "sketch_training.h"

#include <fmt/format.h>

#include "dpfermi/core/text.h"
#include "dpfermi/optimize/sketch_method.h"
#include "noise.h"

namespace dpfermi::cli {

Status adopt_sketch(const StoredSketch& stored, TrainingJob& job) {
  if (job.request.method != Method::kSketch && job.request.method != Method::kDpFermi) {
    return usage_error(fmt::format("--sketch is a method of its own; leave out --method {}",
                                   to_string(job.request.method)));
  }
  job.request.method = Method::kSketch;
  if (job.spending.ledger || !job.spending.budget.empty()) {
    return usage_error("a sketch was paid for when it was made; leave out --ledger and --budget");
  }
  if (!job.checkpoint.file.empty() || !job.checkpoint.resume.empty()) {
    return usage_error(
        "checkpoints are for runs that are charged by steps; leave out --checkpoint");
  }
  const double fraction = stored.held_out ? stored.held_out->fraction : 0;
  if (job.split.test_fraction && *job.split.test_fraction != fraction) {
    return usage_error(
        fmt::format("the sketch was made with --test-fraction {:g}; leave the flag out", fraction));
  }
  job.split.test_fraction = fraction;
  if (stored.held_out) job.split.seed = stored.held_out->seed;
  return {};
}

Status check_sketch(const StoredSketch& stored, const TrainingJob& job, const PreparedData& data) {
  const Table& table = data.table;
  if (table.schema.adjacency != Adjacency::kSensitive) {
    return usage_error("a sketch promises adjacency sensitive; leave out --adjacency");
  }
  if (table.schema.target.column != stored.target) {
    return usage_error(fmt::format(
        "{}: the sketch was made to predict '{}', not '{}'; use --target {}", job.sketch,
        printable(stored.target), printable(table.schema.target.column), printable(stored.target)));
  }
  auto same =
      check_same_data(stored, data.train, data.pipeline.column_names(), table.labels.classes);
  if (same) return {};
  return tl::unexpected(
      Error{same.error().kind, fmt::format("{}: {}", job.sketch, same.error().message)});
}

Result<TrainingResult> run_from_sketch(const TrainingJob& job, const PreparedData& data,
                                       const TrainingPlan& plan, const StoredSketch& stored) {
  DPFERMI_ASSIGN(const std::optional<FeatureModel> model, job.features.model());
  const FeatureMapSpec& spec = stored.sketch.features;
  if (spec.kind == FeatureKind::kModel && (!model || model->digest != spec.model_digest)) {
    return usage_error(
        fmt::format("{}: was made with the model of sha256 {}; name its file with --feature-model",
                    job.sketch, printable(spec.model_digest)));
  }
  DPFERMI_ASSIGN(const SketchFeatures features,
                 SketchFeatures::create(data.train.x, spec, model ? &*model : nullptr));
  TrainingHooks hooks;
  hooks.threads = job.threads;
  DPFERMI_ASSIGN(NoiseSource noise, noise_source(job.seed));
  return train_from_sketch(data.train, plan, stored.sketch, features, std::move(noise), hooks);
}

}  // namespace dpfermi::cli
