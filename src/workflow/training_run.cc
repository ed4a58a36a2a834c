#include "workflow/training_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "artifact/model_file.h"
#include "artifact/plan_json.h"
#include "core/mutant.h"
#include "core/stopwatch.h"
#include "core/text.h"
#include "data/checksum.h"
#include "optimize/boosted_training.h"
#include "optimize/choose_method.h"
#include "optimize/dp_fermi.h"
#include "workflow/build_model.h"
#include "workflow/from_sketch.h"
#include "workflow/image_run.h"
#include "workflow/model_use.h"
#include "workflow/output_file.h"
#include "workflow/planned_run.h"
#include "workflow/repaired_model.h"
#include "workflow/resume.h"
#include "workflow/same_work.h"

namespace dpfermi {
namespace {

/// Whether the checkpoint and the model can be written.
Status check_outputs(const TrainingJob& job) {
  std::vector<std::string> taken = inputs_of(job);
  const CheckpointChoice& checkpoint = job.checkpoint;
  if (checkpoint.file.empty() != (checkpoint.every == 0)) {
    return usage_error("`checkpoint.file` and `checkpoint.every` belong together; give both");
  }
  // The leader alone writes.
  const bool writes = job.team->leads();
  if (!checkpoint.file.empty()) {
    if (writes) DPFERMI_TRY(check_writable(checkpoint.file, "checkpoint.file", taken));
    taken.push_back(checkpoint.file);
    if (job.spending.research) {
      return usage_error(
          "a research run cannot be taken up again; leave out `research` or `checkpoint.file`");
    }
    if (job.spending.part_of_budget) {
      return usage_error(
          "a run on a part of a budget's data cannot be taken up again; leave out "
          "`part_of_budget` or `checkpoint.file`");
    }
  }
  if (!checkpoint.resume.empty()) taken.push_back(checkpoint.resume);
  return writes && !job.out.empty() ? check_writable(job.out, "out", taken) : Status();
}

/// Secret noise makes a step that is replayed after a crash a new release: it needs a spare one.
std::uint64_t spare_steps(const TrainingJob& job) {
  const CheckpointChoice& checkpoint = job.checkpoint;
  return checkpoint.spare_steps.value_or(job.seed ? 0 : checkpoint.every);
}

/// The largest difference between known groups in the rates that were released; nothing where no
/// two groups are known.
std::optional<double> released_violation(const TrainingPlan& plan, const TrainingResult& result) {
  if (result.released_rates.empty()) return std::nullopt;
  std::optional<double> largest;
  const FairnessSetting setting = fairness_setting(plan);
  for (std::size_t c = 0; c < setting.conditions(); ++c) {
    for (std::size_t j = 0; j < setting.classes; ++j) {
      if (!setting.compares(j)) continue;
      std::vector<double> rates;
      for (std::size_t r = c * setting.groups; r < (c + 1) * setting.groups; ++r) {
        if (result.known_groups[r]) {
          rates.push_back(result.released_rates[r * setting.classes + j]);
        }
      }
      if (rates.size() < 2) continue;
      const auto [least, most] = std::ranges::minmax(rates);
      largest = std::max(largest.value_or(0), most - least);
    }
  }
  return largest;
}

/// A run between its steps. Each member is there once the step that makes it is done.
class Run {
 public:
  Run(Observer& observer, TrainingJob job) : observer_(observer), job_(std::move(job)) {}

  /// Reads what is public: the files of the job, then the table.
  Status load();
  /// The same with a table that was read before.
  Status use(const PreparedData& data);

  /// Load is over; the rest of the run.
  Result<TrainingOutcome> finish();

 private:
  Status open_inputs();
  Status read_table();
  Status plan();
  /// Whether all processes are about to make this run.
  Status compare_processes() const;
  Status open_ledger();
  Result<TrainingResult> train_planned();
  Result<TrainingHooks> hooks(ObservedTask& task);
  Status grow_planned_trees();
  Status adopt_result(TrainingResult& result);
  Status write(const TrainedModel& model);
  Status commit() { return close_run(plan_, spending_->ledger()); }
  /// `scores`: of the training rows, instead of the model's own.
  Status measure(std::span<const float> scores, TrainingOutcome& outcome);

  /// What fails once a model is paid for and made must not lose it: where it is in no file, the
  /// observer is told and the run goes on.
  Status or_note(const Status& status);

  const StoredSketch* stored() const { return sketch_ ? &*sketch_ : nullptr; }

  /// What a run that ended before its time leaves behind: a charge, perhaps a checkpoint, no model.
  tl::unexpected<Error> ended_early(const std::string& what) const;
  std::string interrupted_at() const;
  std::string charge_text() const;
  /// The same where the model file holds the last layer that the sketch gave.
  tl::unexpected<Error> last_layer_only(const std::string& what);

  Observer& observer_;
  TrainingJob job_;
  std::optional<Checkpoint> checkpoint_;
  std::optional<StoredSketch> sketch_;
  std::optional<TrainedModel> repaired_;
  std::optional<PreparedData> own_;     ///< the table, where this run read it
  const PreparedData* data_ = nullptr;  ///< the table
  TrainingPlan plan_;
  std::uint64_t step_ = 0;   ///< as progress was last told
  std::uint64_t steps_ = 0;  ///< the same; 0: nothing was told
  std::string setup_;        ///< what must be alike for the run to go on after a crash
  std::optional<Spending> spending_;
  std::optional<NetworkFollower> follower_;
  std::optional<BoostedTrees> trees_;
};

Status Run::load() {
  DPFERMI_TRY(open_inputs());
  return read_table();
}

Status Run::use(const PreparedData& data) {
  data_ = &data;
  DPFERMI_TRY(open_inputs());
  // A table that was read before was encoded by its own pipeline.
  return sketch_ && sketch_->encoding ? read_table() : Status();
}

Status Run::read_table() {
  const bool settled = sketch_ && sketch_->encoding;
  DPFERMI_ASSIGN(own_, prepare_data(job_.choice, job_.split,
                                    settled ? &sketch_->encoding->pipeline : nullptr, *job_.team));
  data_ = &*own_;
  return {};
}

Status Run::open_inputs() {
  if (!job_.checkpoint.resume.empty()) {
    DPFERMI_ASSIGN(checkpoint_, read_checkpoint(job_.checkpoint.resume));
  }
  if (job_.stored_sketch != nullptr) sketch_ = *job_.stored_sketch;
  if (!job_.sketch.empty()) {
    DPFERMI_ASSIGN(sketch_, read_sketch(job_.sketch));
  }
  return sketch_ ? adopt_sketch(*sketch_, job_) : Status();
}

Status Run::plan() {
  DPFERMI_ASSIGN(const std::string chosen, settle_method(job_, *data_));
  if (!job_.repaired_model.empty()) {
    DPFERMI_ASSIGN(repaired_, model_to_repair(job_, *data_, sketch_ ? &*sketch_ : nullptr));
    job_.request.hidden = repaired_->spec.hidden;
  }
  if (job_.trains_whole_network()) DPFERMI_TRY(open_network(observer_, job_));
  if (sketch_) {
    DPFERMI_TRY(check_sketch(*sketch_, job_, *data_));
    DPFERMI_ASSIGN(plan_,
                   job_.request.method->plan_from_sketch(
                       job_.request, data_->train, data_->table.labels.positive, sketch_->sketch));
  } else {
    DPFERMI_ASSIGN(plan_, plan_job(job_, *data_));
  }
  DPFERMI_ASSIGN(setup_, setup_digest(job_, *data_));
  if (checkpoint_) {
    DPFERMI_TRY(check_same_run(*checkpoint_, job_, plan_, setup_));
    plan_ = checkpoint_->training.plan;
  }
  note_assumptions(observer_, data_->table);
  const std::string doubt = calibration_doubt(data_->train);
  const std::string hidden = outlook(plan_, data_->table.schema.id.empty() ? "records" : "persons");
  const std::string weighted = note_on_weights(plan_, data_->train);
  for (const std::string& note : {chosen, doubt, weighted, hidden}) {
    if (!note.empty()) observer_.note(note);
  }
  if (mutant(Mutant::kRemarkAboutGroups))
    observer_.note(std::to_string(ExactForHolder::read(data_->train.s).front()));
  return {};
}

Status Run::compare_processes() const {
  return check_same_work(*job_.team, data_->train, job_.seed, [&]() -> Result<std::string> {
    std::string settings = setup_ + to_json(plan_);
    for (const std::string& file :
         {job_.sketch, job_.checkpoint.resume, job_.repaired_model, job_.features.model_file}) {
      if (file.empty()) continue;
      DPFERMI_ASSIGN(const std::string digest, sha256_of_file(file));
      settings += digest;
    }
    return settings;
  });
}

Status Run::open_ledger() {
  if (checkpoint_) {
    DPFERMI_ASSIGN(spending_, Spending::resume(job_.spending, *checkpoint_, *data_, *job_.team));
  } else if (!reads_protected(plan_)) {
    // The identity of the table is no longer asked for: a server need not keep its snapshot while
    // we train.
    data_->files.release();
    spending_ = Spending::unneeded();
  } else {
    DPFERMI_ASSIGN(spending_,
                   Spending::start(job_.spending, data_->files, data_->table, *job_.team));
  }
  return {};
}

Result<TrainingHooks> Run::hooks(ObservedTask& task) {
  TrainingHooks hooks = observed_hooks(observer_, task, job_.threads);
  // What comes before the first step is a separate task.
  auto start = std::make_shared<std::optional<ObservedTask>>();
  hooks.progress = [this, start, tell = hooks.progress](const TrainingProgress& now) {
    if (now.start < 1) {
      if (!*start) start->emplace(observer_, Task{"start", /*stops=*/true});
      (*start)->advance(now.start, 1);
      return !observer_.interrupted();
    }
    start->reset();
    step_ = now.step;
    steps_ = now.steps;
    return tell(now);
  };
  hooks.checkpoint_every = job_.checkpoint.every;
  hooks.team = job_.team;
  hooks.checkpoint = [this](const TrainingCheckpoint& now) -> Status {
    if (!job_.team->leads()) return {};
    DPFERMI_ASSIGN(std::optional<LedgerPlace> place, spending_->place());
    return write_checkpoint({now, job_.seed, setup_, std::move(place)}, job_.checkpoint.file);
  };
  if (checkpoint_) hooks.resume = &checkpoint_->training;
  DPFERMI_ASSIGN(hooks.start, start_of(job_, *data_, plan_));
  if (repaired_) hooks.repaired.assign(repaired_->theta.begin(), repaired_->theta.end());
  // On images the network's own probabilities are what is repaired.
  if (job_.images && plan_.method == Method::kRepair) hooks.repaired = hooks.start;
  if (trees_) hooks.grown = &*trees_;
  hooks.deep_network = job_.network.get();
  if (follower_) hooks.follow = follower_->hook();
  return hooks;
}

/// Before anything is paid for: growing takes a while, and nothing is lost if it ends early.
Status Run::grow_planned_trees() {
  if (!plan_.model.boosted) return {};
  ObservedTask task(observer_, {"growing trees", /*stops=*/true, /*unhurried=*/false});
  Result<BoostedTrees> grown =
      trees_of(data_->train, observed_hooks(observer_, task, job_.threads));
  if (!grown && observer_.interrupted()) {
    return failed("interrupted: nothing was charged, and no model was written");
  }
  DPFERMI_ASSIGN(trees_, std::move(grown));
  return {};
}

Result<TrainingResult> Run::train_planned() {
  DPFERMI_TRY(grow_planned_trees());
  ObservedTask task(observer_, {"training", /*stops=*/true, /*unhurried=*/job_.network != nullptr});
  DPFERMI_ASSIGN(const TrainingHooks hooks, this->hooks(task));
  DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(job_.seed, *job_.team));
  if (sketch_) {
    auto result = run_from_sketch(job_, *data_, plan_, *sketch_, std::move(noise), hooks);
    if (result && observer_.interrupted() && !follower_) {
      return failed(fmt::format("{}; no model was written", interrupted_at()));
    }
    return result;
  }
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
    const bool stopped = observer_.interrupted() && steps_ > 0;
    const bool paid =
        follows || stopped || (job_.network && result.error().kind == ErrorKind::kFailed);
    return paid ? ended_early(result.error().message) : result;
  }
  if (observer_.interrupted() && !follower_) {
    return ended_early(interrupted_at());
  }
  if (result->settled) plan_ = *result->settled;
  return result;
}

std::string Run::interrupted_at() const {
  if (steps_ == 0) return "interrupted";
  return fmt::format("interrupted at step {} of {}", with_thousands(step_), with_thousands(steps_));
}

Status Run::adopt_result(TrainingResult& result) {
  // The network was trained on this very loss; another last layer would only fit the training
  // images better.
  if (job_.images && !job_.network && plan_.method == Method::kErm) {
    DPFERMI_ASSIGN(result.theta, start_of(job_, *data_, plan_));
  }
  if (job_.network) {
    const Status adopted = adopt_network(job_, *own_, plan_, result);
    if (!adopted) return ended_early(adopted.error().message);
    result.model = plan_.model;
  }
  if (follower_) {
    DPFERMI_TRY(adopt_images(follower_->take(), job_, *own_, plan_, result));
    result.model = plan_.model;
  }
  return {};
}

Status Run::write(const TrainedModel& model) {
  // Every process has come this far before there is a file.
  DPFERMI_TRY(job_.team->meet());
  if (job_.out.empty() || !job_.team->leads()) return {};
  const Status written = write_model(model, job_.out);
  if (written) return {};
  if (follower_) return last_layer_only(written.error().message);
  if (!reads_protected(plan_)) return written;
  return ended_early(written.error().message);
}

Status Run::or_note(const Status& status) {
  if (status || !job_.out.empty()) return status;
  observer_.note(status.error().message);
  return {};
}

Status Run::measure(std::span<const float> scores, TrainingOutcome& outcome) {
  if (job_.network || follower_) {
    DPFERMI_ASSIGN(own_, described_data(observer_, job_));
  }
  return dpfermi::measure(*data_, scores, outcome);
}

Result<TrainingOutcome> Run::finish() {
  DPFERMI_TRY(plan());
  DPFERMI_TRY(compare_processes());
  DPFERMI_TRY(open_ledger());
  if (job_.images && job_.images->tunes() && plan_.method == Method::kSketch) {
    follower_.emplace(observer_, job_, *data_, plan_, *spending_, stored());
  }
  Result<TrainingResult> ran = train_planned();
  if (!ran && follower_ && follower_->has_model()) return last_layer_only(ran.error().message);
  DPFERMI_ASSIGN(TrainingResult result, std::move(ran));
  DPFERMI_TRY(adopt_result(result));
  TrainingOutcome outcome;
  outcome.model = build_model(job_, *data_, plan_, result, stored());
  if (repaired_) add_releases_of(*repaired_, outcome.model.privacy);
  // A model that is paid for is kept whatever happens to the ledger.
  const Status stamped = spending_->stamp(outcome.model.privacy);
  if (!stamped) observer_.note(stamped.error().message);
  DPFERMI_TRY(write(outcome.model));
  DPFERMI_TRY(or_note(commit()));
  outcome.known_groups = result.known_groups;
  outcome.merged = result.merged;
  if (job_.team->leads()) DPFERMI_TRY(or_note(measure(result.scores, outcome)));
  outcome.out = job_.out;
  outcome.released_violation = released_violation(plan_, result);
  if (Result<ChargeRecord> charge = spending_->record()) {
    outcome.charge = *std::move(charge);
  } else {
    DPFERMI_TRY(or_note(tl::unexpected(charge.error())));
  }
  if (plan_.baseline() == nullptr) outcome.plan = std::move(plan_);
  outcome.train_seconds = result.seconds;
  outcome.violation = result.violation;
  return outcome;
}

tl::unexpected<Error> Run::ended_early(const std::string& what) const {
  const std::string& checkpoint = job_.checkpoint.file;
  std::error_code ignored;
  const bool resumable = !checkpoint.empty() && std::filesystem::exists(checkpoint, ignored);
  return failed(fmt::format("{}: {}, and no model was written; {}", what, charge_text(),
                            resumable ? fmt::format("`checkpoint.resume` {} goes on", checkpoint)
                                      : "a new run is charged anew"));
}

std::string Run::charge_text() const {
  if (!reads_protected(plan_)) return "nothing was charged";
  if (job_.spending.research) return "nothing was recorded (research)";
  const auto place = spending_->place();
  if (!place || !*place) return "what was charged stays charged";
  const std::string run = fmt::format("run {} in {}", (*place)->run_id, spending_->path());
  if (reads_exactly(plan_) || std::isinf(plan_.certified_epsilon))
    return fmt::format("it stays recorded as a run without noise ({})", run);
  if (plan_.baseline() != nullptr) return fmt::format("what was charged stays charged ({})", run);
  return fmt::format("all of it stays charged (epsilon {}, delta {}; {})",
                     rounded_up(plan_.certified_epsilon), rounded_up(plan_.delta), run);
}

tl::unexpected<Error> Run::last_layer_only(const std::string& what) {
  if (!commit()) observer_.note("the run stays open in the ledger, charged in full");
  return failed(fmt::format("{}: {} holds the last layer of the sketch, no more", what, job_.out));
}

/// Refuses jobs that several processes cannot run together.
Status check_team(const TrainingJob& job) {
  if (job.team->size() == 1) return {};
  if (job.image_choice || job.images || job.network) {
    return usage_error("models of images are trained by one process; start a single one");
  }
  if (job.spending.audit_ledger != nullptr) {
    return usage_error("an audit rehearses with one process; start a single one");
  }
  return {};
}

/// On the table that was loaded, or on the job's own.
Result<TrainingOutcome> run_job(Observer& observer, TrainingJob job, const PreparedData* loaded) {
  const Stopwatch watch;
  DPFERMI_TRY(check_job(job));
  Run run(observer, std::move(job));
  DPFERMI_TRY(loaded != nullptr ? run.use(*loaded) : run.load());
  DPFERMI_ASSIGN(TrainingOutcome outcome, run.finish());
  outcome.total_seconds = watch.seconds();
  return outcome;
}

}  // namespace

std::vector<std::string> inputs_of(const TrainingJob& job) {
  std::vector<std::string> files = job.choice.inputs();
  std::ranges::copy(job.spending.files(), std::back_inserter(files));
  for (const std::string& file : {job.sketch, job.features.model_file, job.repaired_model}) {
    if (!file.empty()) files.push_back(file);
  }
  return files;
}

Status check_job(const TrainingJob& job) {
  const bool solver_only =
      job.trains_from_sketch() || !job.checkpoint.file.empty() || !job.checkpoint.resume.empty();
  if (job.request.method->is_baseline() && solver_only) {
    return usage_error(
        "baselines know no sketches and no checkpoints; leave out `sketch`, "
        "`checkpoint.file` and `checkpoint.resume`");
  }
  DPFERMI_TRY(check_outputs(job));
  DPFERMI_TRY(check_request(job));
  for (const std::string& file : {job.checkpoint.resume, job.sketch, job.repaired_model}) {
    std::error_code ignored;
    if (file.empty() || std::filesystem::exists(file, ignored)) continue;
    return failed(fmt::format("{}: no such file", file));
  }
  return {};
}

std::string outlook(const TrainingPlan& plan, std::string_view units) {
  const std::optional<Visibility> seen = visibility(plan);
  if (!seen) return "";
  const auto rounded = [](double size) {
    return with_thousands(static_cast<std::uint64_t>(std::ceil(size)));
  };
  const std::string among = FairnessSetting{plan.notion}.unconditional() ? "" : " of one label";
  std::string text = fmt::format(
      "groups of fewer than about {} {}{} cannot be told from noise and are not compared",
      rounded(seen->least_group), units, among);
  if (plan.max_violation) {
    text += fmt::format(
        "; under {}, nothing below {:g} can be seen",
        rounded(std::max(seen->least_group, 2 * seen->rate_noise / *plan.max_violation)),
        *plan.max_violation);
  }
  std::vector<std::string> reach;
  for (const double size : {500.0, 2000.0, 10000.0}) {
    if (size < seen->least_group) continue;
    reach.push_back(
        fmt::format("{:.2g} with {}", std::min(1.0, 2 * seen->rate_noise / size), rounded(size)));
  }
  if (!reach.empty()) text += fmt::format(" (within reach: {})", fmt::join(reach, ", "));
  if (!features_are_public(plan.adjacency)) {
    text +=
        "; errors are protected as well, and no figure will tell whether the model is better than "
        "the free line";
  }
  return text;
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
  // A sketch brings its own list of groups; where records are protected the table is looked at
  // first, so that whatever is open is listed at once.
  const bool later = from_sketch || !features_are_public(schema.adjacency);
  return later ? Status() : check_groups_declared(schema);
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
  request.named_groups = data.table.domain.named();
  return request;
}

Result<std::string> settle_method(TrainingJob& job, const PreparedData& data) {
  if (job.request.method != Method::kAuto) return "";
  TrainingRequest request = request_for(job.request, data);
  DPFERMI_ASSIGN(request.features, job.features.spec());
  const bool checkpoints = !job.checkpoint.file.empty() || !job.checkpoint.resume.empty();
  const MethodChoice choice = choose_method(request, data.train, checkpoints);
  job.request.method = choice.method;
  return fmt::format("method auto takes {}: {}", to_string(choice.method), choice.why);
}

Status check_request(const TrainingJob& job) {
  DPFERMI_TRY(job.spending.check(job.seed.has_value()));
  return check_columns(job.choice.request.schema, job.request, job.trains_from_sketch());
}

Result<TrainingPlan> plan_job(const TrainingJob& job, const PreparedData& data) {
  TrainingRequest request = request_for(job.request, data);
  request.spare_steps = spare_steps(job);
  DPFERMI_ASSIGN(request.features, job.features.spec());
  DPFERMI_ASSIGN(TrainingPlan plan, plan_training(request, data.train, data.table.labels.positive));
  if (!is_charged_by_steps(plan) && !job.checkpoint.file.empty()) {
    return usage_error(
        "checkpoints are for runs that are charged by steps; leave out `checkpoint.file`");
  }
  return plan;
}

Result<TrainingOutcome> run_training(Observer& observer, TrainingJob job) {
  DPFERMI_TRY(check_team(job));
  DPFERMI_TRY(embed_images(observer, job));
  return run_job(observer, std::move(job), nullptr);
}

Result<TrainingOutcome> run_training(Observer& observer, TrainingJob job,
                                     const PreparedData& data) {
  DPFERMI_TRY(check_team(job));
  if (job.image_choice) {
    return usage_error("images come with a table of their own; let the run load it");
  }
  return run_job(observer, std::move(job), &data);
}

}  // namespace dpfermi
