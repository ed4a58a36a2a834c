#include "workflow/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "artifact/model_file.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "optimize/dp_fermi.h"
#include "optimize/sketch_method.h"
#include "workflow/baseline_run.h"
#include "workflow/build_model.h"
#include "workflow/from_sketch.h"
#include "workflow/image_run.h"
#include "workflow/model_use.h"
#include "workflow/output_file.h"
#include "workflow/resume.h"

namespace dpfermi {
namespace {

/// Whether the checkpoint and the model can be written.
Status check_outputs(const TrainingJob& job) {
  std::vector<std::string> taken = inputs_of(job);
  const CheckpointChoice& checkpoint = job.checkpoint;
  if (checkpoint.file.empty() != (checkpoint.every == 0)) {
    return usage_error("`checkpoint.file` and `checkpoint.every` belong together; give both");
  }
  if (!checkpoint.file.empty()) {
    DPFERMI_TRY(check_writable(checkpoint.file, "checkpoint.file", taken));
    taken.push_back(checkpoint.file);
    if (job.spending.research) {
      return usage_error(
          "a research run cannot be taken up again; leave out `research` or `checkpoint.file`");
    }
  }
  if (!checkpoint.resume.empty()) taken.push_back(checkpoint.resume);
  return job.out.empty() ? Status() : check_writable(job.out, "out", taken);
}

/// Secret noise makes a step that is replayed after a crash a new release: it needs a spare one.
std::uint64_t spare_steps(const TrainingJob& job) {
  const CheckpointChoice& checkpoint = job.checkpoint;
  return checkpoint.spare_steps.value_or(job.seed ? 0 : checkpoint.every);
}

ConstantModel constant_model(const PreparedData& data) {
  std::vector<std::size_t> counts(data.train.classes);
  for (const std::uint16_t y : data.train.y) ++counts[y];
  const auto label = static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
  const auto& judged = data.test ? data.test->y : data.train.y;
  const auto right = std::ranges::count(judged, static_cast<std::uint16_t>(label));
  return {label, 1 - static_cast<double>(right) / static_cast<double>(judged.size())};
}

/// A run between its steps. Each member is there once the step that makes it is done.
class Run {
 public:
  Run(Observer& observer, TrainingJob job) : observer_(observer), job_(std::move(job)) {}

  /// Reads what is public: the files of the job, then the table.
  Status load();
  /// Uses a table that was read before.
  void use(const PreparedData& data) { data_ = &data; }

  /// Load is over; the rest of the run.
  Result<TrainingOutcome> finish();

 private:
  Status plan();
  Status open_ledger();
  Result<TrainingResult> train_planned();
  Result<TrainingHooks> hooks(ObservedTask& task);
  Status adopt_result(TrainingResult& result);
  Status write(const TrainedModel& model);
  Status commit();
  Status measure(TrainingOutcome& outcome);

  const StoredSketch* stored() const { return sketch_ ? &*sketch_ : nullptr; }

  /// What a run that ended before its time leaves behind: a charge, perhaps a checkpoint, no model.
  tl::unexpected<Error> ended_early(const std::string& what) const;
  /// The same where the model file holds the last layer that the sketch gave.
  tl::unexpected<Error> last_layer_only(const std::string& what);

  Observer& observer_;
  TrainingJob job_;
  std::optional<Checkpoint> checkpoint_;
  std::optional<StoredSketch> sketch_;
  std::optional<PreparedData> own_;     ///< the table, where this run read it
  const PreparedData* data_ = nullptr;  ///< the table
  TrainingPlan plan_;
  std::string setup_;  ///< what must be alike for the run to go on after a crash
  std::optional<Spending> spending_;
  std::optional<NetworkFollower> follower_;
};

Status Run::load() {
  if (!job_.checkpoint.resume.empty()) {
    DPFERMI_ASSIGN(checkpoint_, read_checkpoint(job_.checkpoint.resume));
  }
  if (!job_.sketch.empty()) {
    DPFERMI_ASSIGN(sketch_, read_sketch(job_.sketch));
    DPFERMI_TRY(adopt_sketch(*sketch_, job_));
  }
  DPFERMI_ASSIGN(own_, prepare_data(job_.choice, job_.split));
  data_ = &*own_;
  return {};
}

Status Run::plan() {
  if (job_.trains_whole_network()) DPFERMI_TRY(open_network(observer_, job_));
  if (sketch_) {
    DPFERMI_TRY(check_sketch(*sketch_, job_, *data_));
    DPFERMI_ASSIGN(plan_, plan_from_sketch(job_.request, data_->train, data_->table.labels.positive,
                                           sketch_->sketch));
  } else {
    DPFERMI_ASSIGN(plan_, plan_job(job_, *data_));
  }
  DPFERMI_ASSIGN(setup_, setup_digest(job_, *data_));
  if (checkpoint_) {
    DPFERMI_TRY(check_same_run(*checkpoint_, job_, plan_, setup_));
    plan_ = checkpoint_->training.plan;
  }
  note_assumptions(observer_, data_->table);
  return {};
}

Status Run::open_ledger() {
  if (checkpoint_) {
    DPFERMI_ASSIGN(spending_, Spending::resume(job_.spending, *checkpoint_, *data_));
  } else if (!reads_protected(plan_)) {
    spending_ = Spending::unneeded();
  } else {
    DPFERMI_ASSIGN(spending_, Spending::start(job_.spending, data_->files, data_->table));
  }
  return {};
}

Result<TrainingHooks> Run::hooks(ObservedTask& task) {
  TrainingHooks hooks = observed_hooks(observer_, task, job_.threads);
  hooks.checkpoint_every = job_.checkpoint.every;
  hooks.checkpoint = [this](const TrainingCheckpoint& now) -> Status {
    DPFERMI_ASSIGN(std::optional<LedgerPlace> place, spending_->place());
    return write_checkpoint({now, job_.seed, setup_, std::move(place)}, job_.checkpoint.file);
  };
  if (checkpoint_) hooks.resume = &checkpoint_->training;
  DPFERMI_ASSIGN(hooks.start, start_of(job_, *data_, plan_));
  hooks.deep_network = job_.network.get();
  if (follower_) hooks.follow = follower_->hook();
  return hooks;
}

Result<TrainingResult> Run::train_planned() {
  if (sketch_) {
    return run_from_sketch(job_, *data_, plan_, *sketch_, follower_ ? &*follower_ : nullptr);
  }
  ObservedTask task(observer_, {"training", /*stops=*/true, /*unhurried=*/job_.network != nullptr});
  DPFERMI_ASSIGN(const TrainingHooks hooks, this->hooks(task));
  DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(job_.seed));
  DPFERMI_TRY(check_run(data_->train, plan_, hooks));
  // The last moment at which stopping costs nothing.
  if (observer_.interrupted() && !checkpoint_) {
    return failed("interrupted: nothing was charged, and no model was written");
  }
  Result<TrainingResult> result =
      train(data_->train, plan_, spending_->ledger(), std::move(noise), hooks);
  if (!result) {
    // What fails once something was released fails in a network, or where a model is written; a
    // budget refuses before anything is paid.
    const bool follows = follower_ && follower_->was_asked();
    if (follows && follower_->has_model()) return result;
    const bool paid = follows || (job_.network && result.error().kind == ErrorKind::kFailed);
    return paid ? ended_early(result.error().message) : result;
  }
  if (observer_.interrupted() && !follower_) {
    return ended_early(fmt::format("interrupted at step {} of {}", with_thousands(result->steps),
                                   with_thousands(plan_.steps)));
  }
  return result;
}

Status Run::adopt_result(TrainingResult& result) {
  // The network was trained on this very loss; a last layer of its own would only fit the training
  // images better.
  if (job_.images && !job_.network && plan_.method->plain) {
    DPFERMI_ASSIGN(result.theta, start_of(job_, *data_, plan_));
  }
  if (job_.network) {
    const Status adopted = adopt_network(job_, *own_, plan_, result);
    if (!adopted) return ended_early(adopted.error().message);
  }
  if (follower_) return adopt_images(follower_->take(), job_, *own_, plan_, result);
  return {};
}

Status Run::write(const TrainedModel& model) {
  if (job_.out.empty()) return {};
  const Status written = write_model(model, job_.out);
  if (written) return {};
  if (follower_) return last_layer_only(written.error().message);
  if (!reads_protected(plan_)) return written;
  return ended_early(written.error().message);
}

Status Run::commit() {
  return reads_protected(plan_) ? spending_->ledger().commit() : Status();
}

Status Run::measure(TrainingOutcome& outcome) {
  if (job_.network || follower_) {
    DPFERMI_ASSIGN(own_, described_data(observer_, job_));
  }
  DPFERMI_TRY(dpfermi::measure(*data_, outcome));
  if (features_are_public(data_->table.schema.adjacency)) outcome.constant = constant_model(*data_);
  return {};
}

Result<TrainingOutcome> Run::finish() {
  DPFERMI_TRY(plan());
  DPFERMI_TRY(open_ledger());
  if (job_.images && job_.images->tunes() && plan_.method == Method::kSketch) {
    follower_.emplace(observer_, job_, *data_, plan_, stored());
  }
  Result<TrainingResult> ran = train_planned();
  if (!ran && follower_ && follower_->has_model()) return last_layer_only(ran.error().message);
  DPFERMI_ASSIGN(TrainingResult result, std::move(ran));
  DPFERMI_TRY(adopt_result(result));
  TrainingOutcome outcome;
  outcome.model = build_model(job_, *data_, plan_, result, stored());
  DPFERMI_TRY(write(outcome.model));
  DPFERMI_TRY(commit());
  DPFERMI_TRY(measure(outcome));
  outcome.out = job_.out;
  DPFERMI_ASSIGN(outcome.charge, spending_->record());
  outcome.plan = std::move(plan_);
  outcome.train_seconds = result.seconds;
  outcome.known_groups = result.known_groups;
  outcome.violation = result.violation;
  return outcome;
}

tl::unexpected<Error> Run::ended_early(const std::string& what) const {
  std::string charged = "nothing was charged";
  if (reads_protected(plan_) && job_.spending.research) charged = "nothing was recorded (research)";
  if (const auto place = spending_->place(); place && *place) {
    charged =
        fmt::format("all of it stays charged (epsilon {:.6g}, delta {:.6g}; run {} in {})",
                    plan_.certified_epsilon, plan_.delta, (*place)->run_id, spending_->path());
  }
  const std::string& checkpoint = job_.checkpoint.file;
  std::error_code ignored;
  const bool resumable = !checkpoint.empty() && std::filesystem::exists(checkpoint, ignored);
  return failed(fmt::format("{}: {}, and no model was written; {}", what, charged,
                            resumable ? fmt::format("`checkpoint.resume` {} goes on", checkpoint)
                                      : "a new run is charged anew"));
}

tl::unexpected<Error> Run::last_layer_only(const std::string& what) {
  if (!commit()) observer_.note("the run stays open in the ledger, charged in full");
  return failed(fmt::format("{}: {} holds the last layer of the sketch, no more", what, job_.out));
}

}  // namespace

std::vector<std::string> inputs_of(const TrainingJob& job) {
  std::vector<std::string> files = job.choice.inputs();
  std::ranges::copy(job.spending.files(), std::back_inserter(files));
  for (const std::string& file : {job.sketch, job.features.model_file}) {
    if (!file.empty()) files.push_back(file);
  }
  return files;
}

Status check_job(const TrainingJob& job) {
  DPFERMI_TRY(check_outputs(job));
  DPFERMI_TRY(check_request(job));
  for (const std::string& file : {job.checkpoint.resume, job.sketch}) {
    std::error_code ignored;
    if (file.empty() || std::filesystem::exists(file, ignored)) continue;
    return failed(fmt::format("{}: no such file", file));
  }
  return {};
}

void note_assumptions(Observer& observer, const Table& table) {
  if (!table.schema.target.positive.empty()) return;
  observer.note(fmt::format("'{}' is taken for the favourable class; `positive` decides",
                            printable(table.labels.classes[table.labels.positive])));
}

Status check_columns(const Schema& schema, const TrainingRequest& request, bool from_sketch) {
  if (schema.target.column.empty()) {
    return usage_error("name the column to predict with `target`");
  }
  const bool needs_groups =
      !request.method->plain && request.notion != FairnessNotion::kNone && !from_sketch;
  if (needs_groups && schema.sensitive.empty()) {
    return usage_error(
        "name the protected columns with `sensitive`, or train from a sketch of them with "
        "`sketch`, or without fairness: `method` erm");
  }
  return {};
}

TrainingHooks observed_hooks(Observer& observer, ObservedTask& task, unsigned threads) {
  TrainingHooks hooks;
  hooks.threads = threads;
  hooks.progress = [&](const TrainingProgress& now) {
    task.advance(static_cast<double>(now.step), static_cast<double>(now.steps));
    return !observer.interrupted();
  };
  return hooks;
}

TrainingRequest request_for(TrainingRequest request, const PreparedData& data) {
  request.adjacency = data.table.schema.adjacency;
  request.declared_norm = declared_norm(data.pipeline).value_or(0);
  return request;
}

Status check_request(const TrainingJob& job) {
  DPFERMI_TRY(job.spending.check());
  return check_columns(job.choice.request.schema, job.request, !job.sketch.empty());
}

Result<TrainingPlan> plan_job(const TrainingJob& job, const PreparedData& data) {
  TrainingRequest request = request_for(job.request, data);
  request.spare_steps = spare_steps(job);
  DPFERMI_ASSIGN(request.features, job.features.spec());
  DPFERMI_ASSIGN(TrainingPlan plan, plan_training(request, data.train, data.table.labels.positive));
  const bool by_steps = plan.noise_multiplier > 0 && plan.method != Method::kSketch;
  if (!by_steps && !job.checkpoint.file.empty()) {
    return usage_error(
        "checkpoints are for runs that are charged by steps; leave out `checkpoint.file`");
  }
  return plan;
}

Result<TrainingOutcome> run_training(Observer& observer, TrainingJob job) {
  DPFERMI_TRY(embed_images(observer, job));
  if (!job.request.method->is_planned()) return run_baseline(observer, job, nullptr);
  const Stopwatch watch;
  DPFERMI_TRY(check_job(job));
  Run run(observer, std::move(job));
  DPFERMI_TRY(run.load());
  DPFERMI_ASSIGN(TrainingOutcome outcome, run.finish());
  outcome.total_seconds = watch.seconds();
  return outcome;
}

Result<TrainingOutcome> run_training(Observer& observer, TrainingJob job,
                                     const PreparedData& data) {
  if (job.image_choice || !job.sketch.empty() || !job.checkpoint.resume.empty()) {
    return usage_error(
        "images, sketch files and checkpoints come with a table of their own; let the run load it");
  }
  if (!job.request.method->is_planned()) return run_baseline(observer, job, &data);
  const Stopwatch watch;
  DPFERMI_TRY(check_job(job));
  Run run(observer, std::move(job));
  run.use(data);
  DPFERMI_ASSIGN(TrainingOutcome outcome, run.finish());
  outcome.total_seconds = watch.seconds();
  return outcome;
}

}  // namespace dpfermi
