#include "flags/training_options.h"

#include <fmt/format.h>

#include <limits>

#include "artifact/plan_json.h"
#include "cli.h"
#include "core/text.h"
#include "dpfermi/methods/registry.h"
#include "flags/run_flags.h"

namespace dpfermi::cli {
namespace {

constexpr std::uint64_t kMostUnits = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kMostThreads = 1024;

Result<std::vector<std::size_t>> parse_widths(const std::string& text) {
  std::vector<std::size_t> widths;
  for (const std::string& piece : split_list(text)) {
    const auto width = parse_number(piece);
    if (!width || *width < 1 || *width > 65'536 ||
        *width != static_cast<double>(static_cast<std::size_t>(*width))) {
      return usage_error(
          fmt::format("--hidden takes widths such as 64,32, not '{}'", printable(text)));
    }
    widths.push_back(static_cast<std::size_t>(*width));
  }
  return widths;
}

}  // namespace

void TrainingOptions::add_to(CLI::App& verb) {
  const std::vector<CLI::Option*> before = verb.get_options();
  add_goal(verb);
  add_solver(verb);
  const std::vector<CLI::Option*> after = verb.get_options();
  options_.assign(after.begin() + static_cast<std::ptrdiff_t>(before.size()), after.end());
}

std::vector<std::string> TrainingOptions::given() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : options_) {
    if (option->count() > 0) names.push_back("--" + option->get_lnames().front());
  }
  return names;
}

void TrainingOptions::add_goal(CLI::App& verb) {
  const std::string goal = "Goal";
  verb.add_option("--fairness", fairness_, notion_choices())->capture_default_str()->group(goal);
  verb.add_option("--lambda", given_.lambda, "Fixed weight of the fairness term")->group(goal);
  verb.add_option("--max-violation", given_.max_violation,
                  "Or a target: the largest difference between groups, such as 0.05")
      ->group(goal);
  verb.add_flag("!--no-mixture", given_.mixtures,
                "Return a single model, never a mixture of two, even if a mixture is better")
      ->group(goal);
  verb.add_option(
          "--merge-small", given_.merge_small,
          "Make one group of all groups with fewer records (or persons) than this, by counts "
          "that are released with noise inside epsilon")
      ->check(whole_from_one(kMostUnits))
      ->group(goal);
  verb.add_option("--epsilon", given_.epsilon, "Privacy: epsilon of the whole run")
      ->capture_default_str()
      ->group(goal);
  verb.add_option("--delta", given_.delta, "Privacy: delta of the whole run (default 1/n^2)")
      ->group(goal);
  verb.add_option("--units", given_.declared_units,
                  "Declared number of records or persons (add-remove-record only)")
      ->check(whole_from_one(kMostUnits))
      ->group(goal);
  verb.add_flag("--ideal-noise", given_.ideal_noise,
                "Take the noise of dp-fermi for exactly Gaussian, for an epsilon (above 20 or so) "
                "at which the precision of its last bits exceeds delta; the statement says so")
      ->group(goal);
  verb.add_option("--method", method_,
                  method_choices() + "; or a baseline: 'dpfermi methods' lists them")
      ->capture_default_str()
      ->group(goal);
}

void TrainingOptions::add_solver(CLI::App& verb) {
  const std::string solver = "Solver (by default every number follows from public quantities)";
  verb.add_option("--hidden", hidden_, "Widths of hidden layers: 64,32 (default: none)")
      ->group(solver);
  verb.add_option("--epochs", given_.epochs, "Passes over the data")->group(solver);
  verb.add_option("--batch", given_.batch, "Expected size of a batch")
      ->check(whole_from_one(kMostUnits))
      ->group(solver);
  verb.add_option("--sharpness", given_.tau, "Of the predictions inside the fairness term")
      ->group(solver);
  verb.add_option("--clip-norm", given_.clip_norm, "Longest contribution of one unit")
      ->group(solver);
  verb.add_option("--residual-rounds", given_.residual_rounds,
                  "Private queries about models, the last about the one that is returned (default "
                  "4; 5 of dp-fermi with a target, 3 without; 0: none)")
      ->check(whole_number())
      ->group(solver);
  verb.add_option("--residual-share", given_.residual_share,
                  "Their share of the budget (default 0.25 of the sketch, 0.2 and 0.05 of "
                  "dp-fermi; 0.4 where a network on images follows a "
                  "sketch)")
      ->group(solver);
  verb.add_option("--learning-rate", given_.theta_rate, "Step size of the model")->group(solver);
  verb.add_option("--dual-rate", given_.w_rate, "Step size of W, with --dual ascent")
      ->group(solver);
  verb.add_option("--dual", dual_, "How W moves: ascent or best-response")->group(solver);
  verb.add_option("--iterate", iterate_, "Which parameters to keep: last, average or random")
      ->group(solver);
  verb.add_option("--plan", plan_, "default, or theorem: steps and rates of the paper's theorem")
      ->capture_default_str()
      ->group(solver);
  add_seed(verb, seed_, solver);
  verb.add_option("--threads", threads_, "Results do not depend on it")
      ->check(whole_from_one(kMostThreads))
      ->capture_default_str()
      ->group(solver);
}

Result<TrainingRequest> TrainingOptions::request() const {
  TrainingRequest request = given_;
  DPFERMI_ASSIGN(request.method, parse_method(method_));
  DPFERMI_ASSIGN(request.notion, parse_fairness_notion(fairness_));
  DPFERMI_ASSIGN(request.hidden, parse_widths(hidden_));
  if (!dual_.empty()) {
    DPFERMI_ASSIGN(request.dual, parse_dual_rule(dual_));
  }
  if (!iterate_.empty()) {
    DPFERMI_ASSIGN(request.iterate, parse_iterate_rule(iterate_));
  }
  if (plan_ != "default" && plan_ != "theorem") {
    return usage_error(fmt::format("unknown plan '{}': use default or theorem", printable(plan_)));
  }
  request.theorem_plan = plan_ == "theorem";
  return request;
}

}  // namespace dpfermi::cli
