// dpfermi repair: keep a model, decide fairly by its scores.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli.h"
#include "core/text.h"
#include "flags/run_flags.h"
#include "flags/table_options.h"
#include "print/text_table.h"
#include "terminal_observer.h"
#include "verbs/training_job.h"
#include "workflow/pack_run.h"

namespace dpfermi::cli {
namespace {

/// All rows, unless flags say otherwise.
SplitChoice usual_split() {
  return {.test_fraction = 0};
}

struct RepairFlags {
  TableOptions table;
  std::string fairness = "dp";
  std::string scores, score_prefix, cost, targets;
  TrainingJob job;
  const CLI::Option* epsilon = nullptr;
  const CLI::Option* delta = nullptr;
  OutcomeFlags outcome;
};

/// FALSE_POSITIVE:FALSE_NEGATIVE, or rows of a matrix: the costs of a decision for every true
/// class.
Result<std::vector<double>> parse_costs(const std::string& text) {
  std::vector<double> costs;
  const auto refuse = [&] {
    return usage_error(
        fmt::format("--cost takes FALSE_POSITIVE:FALSE_NEGATIVE, such as 1:5, or a row for every "
                    "decision, such "
                    "as 0,1,1/1,0,1/5,5,0, not '{}'",
                    printable(text)));
  };
  const bool pair = text.find(':') != std::string::npos;
  for (const std::string& row : split_list(text, '/')) {
    for (const std::string& piece : split_list(row, pair ? ':' : ',')) {
      const auto cost = parse_number(piece);
      if (!cost) return refuse();
      costs.push_back(*cost);
    }
  }
  if (pair && costs.size() != 2) return refuse();
  return costs;
}

Result<TrainingJob> job_of(const RepairFlags& flags) {
  TrainingJob job = flags.job;
  if (!job.sketch.empty() && flags.epsilon->count() + flags.delta->count() > 0) {
    return usage_error("a sketch was paid for when it was made; leave out --epsilon and --delta");
  }
  const auto sources = std::ranges::count(
      std::array{flags.scores.empty(), flags.score_prefix.empty(), job.repaired_model.empty()},
      false);
  if (sources != 1) {
    return usage_error(
        "name the scores to repair: --scores COLUMN, --scores-prefix PREFIX or --model FILE");
  }
  job.request.method = Method::kRepair;
  DPFERMI_ASSIGN(job.request.notion, parse_fairness_notion(flags.fairness));
  DPFERMI_ASSIGN(job.request.costs, parse_costs(flags.cost));
  DPFERMI_ASSIGN(job.choice, flags.table.resolve());
  if (job.choice.pack && job.repaired_model.empty()) {
    return usage_error("a pack holds no scores; repair a --model, or name the table");
  }
  DPFERMI_TRY(settle_split(job.choice, usual_split(), job.split));
  Schema& schema = job.choice.request.schema;
  if (!flags.scores.empty()) schema.scores = {flags.scores};
  schema.score_prefix = flags.score_prefix;
  return job;
}

/// people.model for the target 0.02 is people-0.02.model.
std::string file_of(const std::string& out, const std::string& target) {
  const std::filesystem::path path = out;
  return (path.parent_path() / (path.stem().string() + "-" + target + path.extension().string()))
      .string();
}

/// The runs of a curve. Whatever can be refused is refused before the first of them.
Result<std::vector<TrainingJob>> jobs_of_curve(const RepairFlags& flags, TrainingJob job) {
  const std::string out = job.out;
  std::vector<TrainingJob> jobs;
  for (const std::string& text : split_list(flags.targets)) {
    const auto target = parse_number(text);
    if (!target || !(*target > 0 && *target < 1)) {
      return usage_error(fmt::format(
          "--targets takes numbers between 0 and 1, such as 0.02,0.05, not '{}'", printable(text)));
    }
    if (std::ranges::any_of(
            jobs, [&](const auto& other) { return other.request.max_violation == target; })) {
      return usage_error(fmt::format("--targets names {} twice; leave one out", shortest(*target)));
    }
    job.request.max_violation = target;
    job.out = file_of(out, shortest(*target));
    DPFERMI_TRY(check_job(job));
    if (!flags.outcome.force) DPFERMI_TRY(check_not_paid_for(job.out, "out"));
    jobs.push_back(job);
  }
  return jobs;
}

/// One model for every target, all from one sketch: nothing is spent.
Status repair_curve(const Context& context, const RepairFlags& flags, TrainingJob job) {
  if (job.sketch.empty() || job.request.max_violation || flags.outcome.dry_run ||
      flags.outcome.require_target) {
    return usage_error(
        "--targets makes a model for every target from one sketch: make it with 'dpfermi sketch', "
        "give it as --sketch, and leave out --max-violation, --dry-run and --require-target");
  }
  DPFERMI_ASSIGN(const std::vector<TrainingJob> jobs, jobs_of_curve(flags, std::move(job)));
  TerminalObserver observer(context);
  TextTable table({"target", "error", "violation by the sketch", "model"});
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const TrainingJob& each : jobs) {
    DPFERMI_ASSIGN(const TrainingOutcome outcome, run_training(observer, each));
    const double target = *each.request.max_violation;
    const std::optional<ViolationInterval>& interval = outcome.violation;
    table.add({shortest(target), fmt::format("{:.4f}", outcome.train.error),
               interval ? fmt::format("{:.4f} to {:.4f}", interval->low, interval->high)
                        : "unknown: noise hides the groups",
               each.out});
    json.push_back({{"target", target},
                    {"error", outcome.train.error},
                    {"violation_interval", nullptr},
                    {"model", printable(each.out, SIZE_MAX)}});
    if (interval) {
      json.back()["violation_interval"] = {{"low", interval->low}, {"high", interval->high}};
    }
  }
  Context::print(context.json ? json.dump(2) + "\n" : table.to_string());
  return {};
}

Status repair_model(const Context& context, const RepairFlags& flags) {
  DPFERMI_ASSIGN(TrainingJob job, job_of(flags));
  if (job.out.empty() && !flags.outcome.dry_run) {
    return usage_error("--out is required; see 'dpfermi repair --help'");
  }
  if (!flags.targets.empty()) return repair_curve(context, flags, std::move(job));
  return run_and_print(context, std::move(job), flags.outcome);
}

void add_scores(CLI::App& verb, RepairFlags& flags) {
  const std::string where = "Scores";
  verb.add_option("--scores", flags.scores,
                  "Column with the probability of the favourable of two classes")
      ->group(where);
  verb.add_option("--scores-prefix", flags.score_prefix,
                  "Columns with the probability of every class: this prefix and its name")
      ->group(where);
  verb.add_option("--model", flags.job.repaired_model,
                  "Or a model file of dpfermi that was trained on these rows")
      ->group(where);
  verb.add_option(
          "--cost", flags.cost,
          "FALSE_POSITIVE:FALSE_NEGATIVE, or a row of costs for every decision, rows divided "
          "by / (default: errors count alike)")
      ->group(where);
}

void add_goal(CLI::App& verb, RepairFlags& flags) {
  const std::string goal = "Goal";
  TrainingRequest& request = flags.job.request;
  verb.add_option("--fairness", flags.fairness, sketch_notion_choices())
      ->capture_default_str()
      ->group(goal);
  verb.add_option("--max-violation", request.max_violation,
                  "The largest difference between groups (default 0.05)")
      ->group(goal);
  verb.add_option("--targets", flags.targets,
                  "Or a curve, with --sketch: a model for every target, such as 0.01,0.02,0.05")
      ->group(goal);
  verb.add_flag("!--no-mixture", request.mixtures,
                "Return a single rule, never a mixture of two, even if a mixture is better")
      ->group(goal);
  flags.epsilon = verb.add_option("--epsilon", flags.job.request.epsilon,
                                  "Privacy: epsilon of sketch and queries together")
                      ->capture_default_str()
                      ->group(goal);
  flags.delta = verb.add_option("--delta", flags.job.request.delta,
                                "Privacy: delta of the same (default 1/n^2)")
                    ->group(goal);
  verb.add_option("--sketch", flags.job.sketch,
                  "A sketch file of these rows: s is not needed, and nothing is spent")
      ->group(goal);
  verb.add_option(
          "--residual-rounds", request.residual_rounds,
          "Private queries about decisions, the last about those that are returned (default "
          "4; 0: none)")
      ->check(whole_number())
      ->group(goal);
  verb.add_option("--residual-share", request.residual_share,
                  "Their share of the budget (default 0.25)")
      ->group(goal);
  verb.add_option("--threads", flags.job.threads, "Results do not depend on it")
      ->check(whole_from_one(1024))
      ->capture_default_str()
      ->group(goal);
  add_seed(verb, flags.job.seed, goal);
}

}  // namespace

void add_repair(CLI::App& app, Context& context) {
  const auto [verb, flags] = add_verb<RepairFlags>(
      app, context, "repair", "Make the decisions of a model that you have fair, privately",
      "  dpfermi repair scored.csv --target income --scores p_high --sensitive sex \\\n"
      "      --sensitive-values sex=f,m --epsilon 0.5 --max-violation 0.03 --out people.model\n"
      "  dpfermi repair scored.csv --target income --scores p_high --sketch people.sketch \\\n"
      "      --max-violation 0.03 --cost 1:5 --out people.model\n"
      "  dpfermi predict people.model new-scored.csv",
      repair_model);
  flags->job.split = usual_split();
  flags->table.add_to(*verb);
  add_scores(*verb, *flags);
  add_goal(*verb, *flags);
  add_spending_flags(*verb, flags->job.spending);
  add_split_flags(*verb, flags->job.split, "Share of rows kept for testing (default 0: none)");
  verb->add_option("--out", flags->job.out, "The model file to write");
  flags->outcome.add_to(*verb);
}

}  // namespace dpfermi::cli
