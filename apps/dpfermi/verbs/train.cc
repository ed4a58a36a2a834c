// dpfermi train: from a table to a model file that is accurate, fair and private.

#include <fmt/format.h>

#include "cli.h"
#include "core/text.h"
#include "flags/image_options.h"
#include "flags/run_flags.h"
#include "flags/sketch_options.h"
#include "flags/table_options.h"
#include "flags/training_options.h"
#include "verbs/training_job.h"
#include "workflow/image_run.h"
#include "workflow/pack_run.h"

namespace dpfermi::cli {
namespace {

struct TrainFlags {
  TableOptions table;
  TrainingOptions training;
  SplitChoice split;
  SpendingChoice spending;
  CheckpointChoice checkpoint;
  SketchOptions features;
  ImageOptions images;
  std::string sketch, out;
  OutcomeFlags outcome;
};

/// The method and the price of a sketch were settled when it was made.
Status check_sketch_flags(const std::vector<std::string>& given, TrainingRequest& request) {
  const Method method = request.boosted ? Method::kRepair : Method::kSketch;
  for (const char* flag : {"--epsilon", "--delta", "--units"}) {
    if (contains(given, flag)) {
      return usage_error(fmt::format("a sketch was paid for when it was made; leave out {}", flag));
    }
  }
  if (!contains(given, "--method")) request.method = method;
  return {};
}

Result<TrainingJob> job_of(const TrainFlags& flags) {
  TrainingJob job;
  DPFERMI_ASSIGN(job.request, flags.training.request());
  job.request.boosted = flags.images.boosted();
  if (!flags.sketch.empty()) DPFERMI_TRY(check_sketch_flags(flags.training.given(), job.request));
  DPFERMI_ASSIGN(job.choice, flags.table.resolve());
  DPFERMI_ASSIGN(job.image_choice, flags.images.choice());
  DPFERMI_TRY(check_whole_network(job));
  job.split = flags.split;
  DPFERMI_TRY(settle_split(job.choice, SplitChoice{}, job.split));
  job.seed = flags.training.seed();
  job.threads = flags.training.threads();
  job.spending = flags.spending;
  job.checkpoint = flags.checkpoint;
  job.sketch = flags.sketch;
  DPFERMI_ASSIGN(job.features, flags.features.choice());
  job.out = flags.out;
  return job;
}

Status train_model(const Context& context, const TrainFlags& flags) {
  DPFERMI_ASSIGN(TrainingJob job, job_of(flags));
  // What is made of images is kept beside the model, in a dry run too.
  if (job.out.empty() && (!flags.outcome.dry_run || job.image_choice)) {
    return usage_error("--out is required; see 'dpfermi train --help'");
  }
  return run_and_print(context, std::move(job), flags.outcome);
}

void add_checkpoints(CLI::App& verb, CheckpointChoice& checkpoint) {
  const std::string where = "Checkpoints";
  verb.add_option("--checkpoint", checkpoint.file, "File to keep the state of the run in")
      ->group(where);
  verb.add_option("--checkpoint-every", checkpoint.every, "Steps between checkpoints")
      ->check(whole_number())
      ->group(where);
  verb.add_option("--spare-steps", checkpoint.spare_steps,
                  "Charged for steps that a crash makes worthless (default: --checkpoint-every)")
      ->check(whole_number())
      ->group(where);
  verb.add_option("--resume", checkpoint.resume,
                  "Go on from this checkpoint; repeat the other flags of the run")
      ->group(where);
}

}  // namespace

void add_train(CLI::App& app, Context& context) {
  const auto [verb, flags] = add_verb<TrainFlags>(
      app, context, "train", "Train a fair and private model on a table",
      "  dpfermi train people.csv --target income --sensitive sex --sensitive-values sex=f,m \\\n"
      "      --epsilon 1 --out people.model\n"
      "  dpfermi train people.csv --target income --sensitive sex,age --sensitive-values sex=f,m "
      "\\\n"
      "      --sensitive-bins age=25,40,60 --fairness eo --max-violation 0.05 --out people.model\n"
      "  dpfermi train people.csv --target income --sensitive sex --sensitive-values sex=f,m \\\n"
      "      --model boosted --epsilon 0.5 --max-violation 0.03 --out people.model\n"
      "  dpfermi train public.csv --target income --sketch people.sketch --out people.model\n"
      "  dpfermi train people.csv --target income --schema people.json --epsilon 1 --dry-run\n"
      "  dpfermi train --dataset adult --epsilon 0.5 --budget adult --out adult.model --json\n"
      "  dpfermi train --dataset utkface --model vgg9 --epsilon 1 --out faces.model",
      train_model);
  flags->table.add_to(*verb);
  flags->training.add_to(*verb);
  verb->add_option("--sketch", flags->sketch,
                   "Train from this sketch file: s is not needed, and nothing is spent")
      ->group("Sketch");
  flags->features.add_to(*verb);
  flags->images.add_to(*verb);
  add_spending_flags(*verb, flags->spending);
  add_split_flags(*verb, flags->split,
                  "Share of rows kept for testing; 0: none (default 0.25, and 0 where records "
                  "are protected)");
  add_checkpoints(*verb, flags->checkpoint);
  verb->add_option("--out", flags->out, "The model file to write");
  flags->outcome.add_to(*verb);
}

}  // namespace dpfermi::cli
