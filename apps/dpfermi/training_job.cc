#include "training_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "build_model.h"
#include "dpfermi/artifact/model_file.h"
#include "dpfermi/core/stopwatch.h"
#include "dpfermi/core/text.h"
#include "dpfermi/optimize/dp_fermi.h"
#include "dpfermi/optimize/sketch_method.h"
#include "image_training.h"
#include "interrupt.h"
#include "model_use.h"
#include "network_training.h"
#include "noise.h"
#include "output_file.h"
#include "resume.h"
#include "sketch_training.h"

namespace dpfermi::cli {
namespace {

/// Whether the checkpoint and the model can be written.
Status check_outputs(const TrainingJob& job) {
  std::vector<std::string> taken = inputs_of(job);
  const CheckpointChoice& checkpoint = job.checkpoint;
  if (checkpoint.file.empty() != (checkpoint.every == 0)) {
    return usage_error("--checkpoint and --checkpoint-every belong together; give both");
  }
  if (!checkpoint.file.empty()) {
    DPFERMI_TRY(check_writable(checkpoint.file, "--checkpoint", taken));
    taken.push_back(checkpoint.file);
    if (job.spending.research) {
      return usage_error(
          "a research run cannot be taken up again; leave out --research or --checkpoint");
    }
  }
  if (!checkpoint.resume.empty()) taken.push_back(checkpoint.resume);
  return check_writable(job.out, "--out", taken);
}

/// Secret noise makes a step that is replayed after a crash a new release: it needs a spare one.
std::uint64_t spare_steps(const TrainingJob& job) {
  const CheckpointChoice& checkpoint = job.checkpoint;
  return checkpoint.spare_steps.value_or(job.seed ? 0 : checkpoint.every);
}

Result<Spending> open_spending(const TrainingJob& job, const PreparedData& data,
                               const TrainingPlan& plan,
                               const std::optional<Checkpoint>& checkpoint) {
  if (checkpoint) return Spending::resume(job.spending, *checkpoint, data);
  if (!reads_protected(plan)) return Spending::unneeded();
  return Spending::start(job.spending, data.files, data.table);
}

/// What a run that ended before its time leaves behind: a charge, perhaps a checkpoint, no model.
tl::unexpected<Error> ended_early(const std::string& what, const TrainingJob& job,
                                  const TrainingPlan& plan, const Spending& spending) {
  std::string charged = "nothing was charged";
  if (reads_protected(plan) && job.spending.research) charged = "nothing was recorded (research)";
  if (const auto place = spending.place(); place && *place) {
    charged = fmt::format("all of it stays charged (epsilon {:.6g}, delta {:.6g}; run {} in {})",
                          plan.certified_epsilon, plan.delta, (*place)->run_id, spending.path());
  }
  const std::string& checkpoint = job.checkpoint.file;
  std::error_code ignored;
  const bool resumable = !checkpoint.empty() && std::filesystem::exists(checkpoint, ignored);
  return failed(fmt::format(
      "{}: {}, and no model was written; {}", what, charged,
      resumable ? fmt::format("--resume {} goes on", checkpoint) : "a new run is charged anew"));
}

ConstantModel constant_model(const PreparedData& data) {
  std::vector<std::size_t> counts(data.train.classes);
  for (const std::uint16_t y : data.train.y) ++counts[y];
  const auto label = static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
  const auto& judged = data.test ? data.test->y : data.train.y;
  const auto right = std::ranges::count(judged, static_cast<std::uint16_t>(label));
  return {label, 1 - static_cast<double>(right) / static_cast<double>(judged.size())};
}

Status measure_outcome(const PreparedData& data, TrainingOutcome& outcome) {
  DPFERMI_ASSIGN(outcome.train, measure(outcome.model, data.train));
  if (data.test) {
    DPFERMI_ASSIGN(outcome.test, measure(outcome.model, *data.test));
  }
  if (features_are_public(data.table.schema.adjacency)) outcome.constant = constant_model(data);
  return {};
}

Result<TrainingResult> run_steps(const Context& context, const TrainingJob& job,
                                 const PreparedData& data, const TrainingPlan& plan,
                                 const std::optional<Checkpoint>& checkpoint,
                                 const std::string& setup, Spending& spending,
                                 NetworkFollower* follower) {
  Progress progress(context, "training",
                    job.network ? Progress::Elsewhere::kLines : Progress::Elsewhere::kSilent);
  TrainingHooks hooks = watched_hooks(progress, job.threads);
  hooks.checkpoint_every = job.checkpoint.every;
  hooks.checkpoint = [&](const TrainingCheckpoint& now) -> Status {
    DPFERMI_ASSIGN(std::optional<LedgerPlace> place, spending.place());
    return write_checkpoint({now, job.seed, setup, std::move(place)}, job.checkpoint.file);
  };
  if (checkpoint) hooks.resume = &checkpoint->training;
  DPFERMI_ASSIGN(hooks.start, start_of(job, data, plan));
  hooks.deep_network = job.network.get();
  if (follower != nullptr) hooks.follow = follower->hook();
  DPFERMI_ASSIGN(NoiseSource noise, noise_source(job.seed));
  DPFERMI_TRY(check_run(data.train, plan, hooks));
  const Interrupt interrupt;
  Result<TrainingResult> result =
      train(data.train, plan, spending.ledger(), std::move(noise), hooks);
  if (!result) {
    // What fails once something was released fails in a network, or where a model is written; a
    // budget refuses before anything is paid.
    const bool follows = follower != nullptr && follower->was_asked();
    if (follows && follower->has_model()) return result;
    const bool paid = follows || (job.network && result.error().kind == ErrorKind::kFailed);
    return paid ? ended_early(result.error().message, job, plan, spending) : result;
  }
  if (Interrupt::requested() && follower == nullptr) {
    return ended_early(fmt::format("interrupted at step {} of {}", with_thousands(result->steps),
                                   with_thousands(plan.steps)),
                       job, plan, spending);
  }
  return result;
}

}  // namespace

std::vector<std::string> inputs_of(const TrainingJob& job) {
  std::vector<std::string> files = job.choice.inputs();
  std::ranges::copy(job.spending.files(), std::back_inserter(files));
  for (const std::string& file : {job.sketch, job.features.model_file()}) {
    if (!file.empty()) files.push_back(file);
  }
  return files;
}

Status check_flags(const TrainingJob& job) {
  DPFERMI_TRY(check_outputs(job));
  DPFERMI_TRY(check_request(job));
  for (const std::string& file : {job.checkpoint.resume, job.sketch}) {
    std::error_code ignored;
    if (file.empty() || std::filesystem::exists(file, ignored)) continue;
    return failed(fmt::format("{}: no such file", file));
  }
  return {};
}

void note_assumptions(const Context& context, const Table& table) {
  if (!table.schema.target.positive.empty()) return;
  context.note(fmt::format("'{}' is taken for the favourable class; --positive decides",
                           printable(table.labels.classes[table.labels.positive])));
}

Status check_columns(const Schema& schema, const TrainingRequest& request, bool from_sketch) {
  if (schema.target.column.empty()) {
    return usage_error("name the column to predict with --target");
  }
  const bool needs_groups =
      request.method != Method::kErm && request.notion != FairnessNotion::kNone && !from_sketch;
  if (needs_groups && schema.sensitive.empty()) {
    return usage_error(
        "name the protected columns with --sensitive, or train from a sketch of them with "
        "--sketch, "
        "or without fairness: --method erm");
  }
  return {};
}

TrainingHooks watched_hooks(Progress& progress, unsigned threads) {
  TrainingHooks hooks;
  hooks.threads = threads;
  hooks.progress = [&progress](const TrainingProgress& now) {
    progress.update(static_cast<double>(now.step), static_cast<double>(now.steps));
    return !Interrupt::requested();
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
        "checkpoints are for runs that are charged by steps; leave out --checkpoint");
  }
  return plan;
}

Result<TrainingOutcome> run_training(const Context& context, TrainingJob job) {
  const Stopwatch watch;
  DPFERMI_TRY(check_flags(job));
  std::optional<Checkpoint> checkpoint;
  if (!job.checkpoint.resume.empty()) {
    DPFERMI_ASSIGN(checkpoint, read_checkpoint(job.checkpoint.resume));
  }
  std::optional<StoredSketch> sketch;
  if (!job.sketch.empty()) {
    DPFERMI_ASSIGN(sketch, read_sketch(job.sketch));
    DPFERMI_TRY(adopt_sketch(*sketch, job));
  }
  DPFERMI_ASSIGN(PreparedData data, prepare_data(job.choice, job.split));
  if (job.whole_network) DPFERMI_TRY(open_network(context, job));
  if (sketch) DPFERMI_TRY(check_sketch(*sketch, job, data));
  DPFERMI_ASSIGN(
      TrainingPlan plan,
      sketch ? plan_from_sketch(job.request, data.train, data.table.labels.positive, sketch->sketch)
             : plan_job(job, data));
  DPFERMI_ASSIGN(const std::string setup, setup_digest(job, data));
  if (checkpoint) {
    DPFERMI_TRY(check_same_run(*checkpoint, job, plan, setup));
    plan = checkpoint->training.plan;
  }
  note_assumptions(context, data.table);
  DPFERMI_ASSIGN(Spending spending, open_spending(job, data, plan, checkpoint));
  const StoredSketch* stored = sketch ? &*sketch : nullptr;
  std::optional<NetworkFollower> follower;
  if (job.images && job.images->tunes() && plan.method == Method::kSketch) {
    follower.emplace(context, job, data, plan, stored);
  }
  NetworkFollower* const following = follower ? &*follower : nullptr;
  Result<TrainingResult> ran =
      sketch ? run_from_sketch(job, data, plan, *sketch, following)
             : run_steps(context, job, data, plan, checkpoint, setup, spending, following);
  const auto last_layer_only = [&](const std::string& what) -> tl::unexpected<Error> {
    if (reads_protected(plan) && !spending.ledger().commit()) {
      context.note("the run stays open in the ledger, charged in full");
    }
    return failed(fmt::format("{}: {} holds the last layer of the sketch, no more", what, job.out));
  };
  if (!ran && follower && follower->has_model()) return last_layer_only(ran.error().message);
  DPFERMI_ASSIGN(TrainingResult result, std::move(ran));

  // The network was trained on this very loss; a last layer of its own would only fit the training
  // images better.
  if (job.images && !job.network && plan.method == Method::kErm) {
    DPFERMI_ASSIGN(result.theta, start_of(job, data, plan));
  }
  if (job.network) {
    const Status adopted = adopt_network(job, data, plan, result);
    if (!adopted) return ended_early(adopted.error().message, job, plan, spending);
  }
  if (follower) DPFERMI_TRY(adopt_images(follower->take(), job, data, plan, result));
  TrainingOutcome outcome;
  outcome.model = build_model(job, data, plan, result, stored);
  if (const Status written = write_model(outcome.model, job.out); !written) {
    if (follower) return last_layer_only(written.error().message);
    if (!reads_protected(plan)) return tl::unexpected(written.error());
    return ended_early(written.error().message, job, plan, spending);
  }
  if (reads_protected(plan)) DPFERMI_TRY(spending.ledger().commit());
  if (job.network || follower) {
    DPFERMI_ASSIGN(data, described_data(context, job));
  }
  DPFERMI_TRY(measure_outcome(data, outcome));
  outcome.out = job.out;
  outcome.research = reads_protected(plan) && job.spending.research;
  outcome.plan = std::move(plan);
  outcome.ledger = spending.path();
  DPFERMI_ASSIGN(outcome.place, spending.place());
  outcome.train_seconds = result.seconds;
  outcome.known_groups = result.known_groups;
  outcome.violation = result.violation;
  outcome.total_seconds = watch.seconds();
  return outcome;
}

}  // namespace dpfermi::cli
