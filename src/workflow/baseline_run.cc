#include "workflow/baseline_run.h"

#include "artifact/model_file.h"
#include "core/stopwatch.h"
#include "workflow/build_model.h"
#include "workflow/model_use.h"
#include "workflow/output_file.h"

namespace dpfermi {
namespace {

/// What can be said before any file is read.
Status check_baseline_job(const TrainingJob& job) {
  if (!job.sketch.empty() || !job.checkpoint.file.empty() || !job.checkpoint.resume.empty()) {
    return usage_error(
        "baselines know no sketches and no checkpoints; leave out `sketch`, "
        "`checkpoint.file` and `checkpoint.resume`");
  }
  if (!job.out.empty()) DPFERMI_TRY(check_writable(job.out, "out", inputs_of(job)));
  DPFERMI_TRY(job.spending.check());
  return check_columns(job.choice.request.schema, job.request);
}

Result<BaselineResult> train_charged(Observer& observer, const TrainingJob& job,
                                     const PreparedData& data, const BaselineOptions& options,
                                     StepLedger& ledger) {
  ObservedTask task(observer, {"training", /*stops=*/true});
  const TrainingHooks hooks = observed_hooks(observer, task, job.threads);
  DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(job.seed));
  DPFERMI_ASSIGN(BaselineResult result, train_baseline(job.request.method.descriptor(), data.train,
                                                       options, ledger, std::move(noise), hooks));
  if (observer.interrupted()) {
    return failed("interrupted: what was charged stays charged, and no model was written");
  }
  return result;
}

}  // namespace

Result<TrainingOutcome> run_baseline(Observer& observer, const TrainingJob& job,
                                     const PreparedData* loaded) {
  const Stopwatch watch;
  DPFERMI_TRY(check_baseline_job(job));
  std::optional<PreparedData> own;
  if (loaded == nullptr) {
    DPFERMI_ASSIGN(own, prepare_data(job.choice, job.split));
  }
  const PreparedData& data = loaded != nullptr ? *loaded : *own;
  DPFERMI_ASSIGN(const BaselineOptions options,
                 baseline_options(job.request.method.descriptor(), request_for(job.request, data),
                                  data.table.labels.positive));
  DPFERMI_TRY(check_baseline(job.request.method.descriptor(), options, data.train));
  note_assumptions(observer, data.table);
  DPFERMI_ASSIGN(Spending spending, Spending::start(job.spending, data.files, data.table));
  DPFERMI_ASSIGN(const BaselineResult result,
                 train_charged(observer, job, data, options, spending.ledger()));

  TrainingOutcome outcome;
  outcome.model = build_model(job, data, options, result);
  if (!job.out.empty()) DPFERMI_TRY(write_model(outcome.model, job.out));
  DPFERMI_TRY(spending.ledger().commit());
  DPFERMI_TRY(measure(data, outcome));
  outcome.out = job.out;
  DPFERMI_ASSIGN(outcome.charge, spending.record());
  outcome.train_seconds = result.training.seconds;
  outcome.total_seconds = watch.seconds();
  return outcome;
}

}  // namespace dpfermi
