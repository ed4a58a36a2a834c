#include "baseline_training.h"

#include "build_model.h"
#include "dpfermi/artifact/model_file.h"
#include "dpfermi/core/stopwatch.h"
#include "interrupt.h"
#include "model_use.h"
#include "noise.h"
#include "output_file.h"

namespace dpfermi::cli {
namespace {

/// What can be said before any file is read.
Status check_job(const TrainingJob& job) {
  if (!job.sketch.empty() || !job.checkpoint.file.empty() || !job.checkpoint.resume.empty()) {
    return usage_error(
        "baselines know no sketches and no checkpoints; leave out --sketch, "
        "--checkpoint and --resume");
  }
  DPFERMI_TRY(check_writable(job.out, "--out", inputs_of(job)));
  DPFERMI_TRY(job.spending.check());
  return check_columns(job.choice.request.schema, job.request);
}

Result<BaselineResult> train_charged(const Context& context, const TrainingJob& job,
                                     const PreparedData& data, const BaselineOptions& options,
                                     StepLedger& ledger) {
  Progress progress(context, "training");
  const TrainingHooks hooks = watched_hooks(progress, job.threads);
  DPFERMI_ASSIGN(NoiseSource noise, noise_source(job.seed));
  const Interrupt interrupt;
  DPFERMI_ASSIGN(BaselineResult result, train_baseline(*job.baseline, data.train, options, ledger,
                                                       std::move(noise), hooks));
  if (Interrupt::requested()) {
    return failed("interrupted: what was charged stays charged, and no model was written");
  }
  return result;
}

}  // namespace

Result<TrainingOutcome> run_baseline(const Context& context, const TrainingJob& job) {
  const Stopwatch watch;
  DPFERMI_TRY(check_job(job));
  DPFERMI_ASSIGN(const PreparedData data, prepare_data(job.choice, job.split));
  DPFERMI_ASSIGN(
      const BaselineOptions options,
      baseline_options(*job.baseline, request_for(job.request, data), data.table.labels.positive));
  DPFERMI_TRY(check_baseline(*job.baseline, options, data.train));
  note_assumptions(context, data.table);
  DPFERMI_ASSIGN(Spending spending, Spending::start(job.spending, data.files, data.table));
  DPFERMI_ASSIGN(const BaselineResult result,
                 train_charged(context, job, data, options, spending.ledger()));

  TrainingOutcome outcome;
  outcome.model = build_model(job, data, options, result);
  DPFERMI_TRY(write_model(outcome.model, job.out));
  DPFERMI_TRY(spending.ledger().commit());
  DPFERMI_ASSIGN(outcome.train, measure(outcome.model, data.train));
  if (data.test) {
    DPFERMI_ASSIGN(outcome.test, measure(outcome.model, *data.test));
  }
  outcome.out = job.out;
  outcome.research = job.spending.research;
  outcome.ledger = spending.path();
  DPFERMI_ASSIGN(outcome.place, spending.place());
  outcome.train_seconds = result.training.seconds;
  outcome.total_seconds = watch.seconds();
  return outcome;
}

}  // namespace dpfermi::cli
