#include "print/dry_run_report.h"

#include <fmt/format.h>

#include "artifact/artifact_json.h"
#include "core/text.h"
#include "privacy/statement_json.h"

namespace dpfermi::cli {
namespace {

std::string_view what_was_read(const DryRun& dry) {
  if (!features_are_public(dry.plan.adjacency)) {
    return "records were read on this machine, nothing was released";
  }
  return dry.domain_declared ? "nothing protected was read"
                             : "of what is protected the list of groups was read";
}

/// What comes before the plan, and what of it is not known yet.
std::string first_text(const DryRun& dry) {
  if (dry.to_train.empty()) return "";
  return fmt::format("First: {} is to be trained; {}\n", dry.to_train,
                     dry.plan.network_parameters > 0
                         ? "clipping norm and step size will follow from its gradients"
                         : "where it has fewer channels than --components there are fewer inputs");
}

std::string budget_text(const BudgetState& budget, const char* fits) {
  const std::string name = printable(budget.name);
  if (!budget.cap) return fmt::format("Budget: '{}' has no limit\n", name);
  const auto left = [](const Amount& amount) {
    return rounded_down(amount.to_double(Rounding::kDown));
  };
  if (budget.cap->filter) {
    return fmt::format("Budget: '{}' has a Renyi divergence of {} left; the run {}\n", name,
                       left(budget.left_renyi().divergence), fits);
  }
  return fmt::format("Budget: '{}' has epsilon {}, delta {} left; the run {}\n", name,
                     left(budget.left_epsilon()), left(budget.left_delta()), fits);
}

/// What else can be said before anything is spent.
std::string outlook_text(const DryRun& dry) {
  std::string text;
  if (!dry.domain_declared) {
    text += "Treated as public: the list of groups; --sensitive-values declares it\n";
  }
  if (!dry.outlook.empty()) text += fmt::format("Beforehand: {}\n", dry.outlook);
  if (dry.budget) text += budget_text(*dry.budget, dry.refusal ? "does NOT fit" : "fits");
  return text;
}

}  // namespace

void print_dry_run(const Context& context, const DryRun& dry) {
  const TrainingPlan& plan = dry.plan;
  if (context.json) {
    Json json = {{"dry_run", true}, {"plan", json_of(plan)}};
    json["domain_of_s"] = dry.domain_declared ? "declared" : "treated as public";
    if (!dry.to_train.empty()) json["first"] = dry.to_train;
    if (const auto seen = visibility(plan)) {
      json["visibility"] = {{"least_group", seen->least_group}, {"rate_noise", seen->rate_noise}};
    }
    if (dry.budget) json["budget"] = {{"name", dry.budget->name}, {"fits", !dry.refusal}};
    json["releases"] = Json::array();
    for (const StatedRelease& release : dry.releases) {
      json["releases"].push_back({{"purpose", release.purpose},
                                  {"count", release.count},
                                  {"event", json_of(release.event)}});
    }
    Context::print(json_text(json) + "\n");
    return;
  }
  Context::print(fmt::format(
      "Dry run: {} and nothing was charged.\n{}"
      "Plan: {}, {} on {} {}, batches of about {}, {}\n",
      what_was_read(dry), first_text(dry), to_string(plan.method), counted(plan.steps, "step"),
      with_thousands(plan.units), dry.units, with_thousands(plan.batch),
      plan.network_parameters > 0
          ? fmt::format("{} parameters", with_thousands(plan.network_parameters))
          : counted(plan.model.inputs, "input")));
  if (!dry.charged) {
    Context::print("Price: nothing; protected data would not be read\n");
    return;
  }
  Context::print(plan.noise_multiplier > 0
                     ? fmt::format("Price: epsilon {}, delta {} under adjacency {}\n",
                                   rounded_up(plan.certified_epsilon), rounded_up(plan.delta),
                                   to_string(plan.adjacency))
                     : "Price: no finite epsilon; protected data would be read without noise\n");
  for (const StatedRelease& release : dry.releases) {
    Context::print(fmt::format("  {} x {}: {}\n", with_thousands(release.count), release.purpose,
                               describe(release.event)));
  }
  Context::print(outlook_text(dry));
}

}  // namespace dpfermi::cli
