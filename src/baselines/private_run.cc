#include "baselines/private_run.h"

#include <fmt/format.h>

#include "dpfermi/privacy/accountant/price.h"

namespace dpfermi {

double delta_of(const BaselineOptions& options, const Dataset& data) {
  const auto n = static_cast<double>(data.unit_count);
  return options.delta.value_or(1 / (n * n));
}

double pure_epsilon(const BaselineOptions& options) {
  return options.epsilon * (1 - 1e-9);
}

Status refuse_persons(const Dataset& data, const std::string& name) {
  if (!data.persons) return {};
  return usage_error(
      fmt::format("{} protects records, not persons with several; leave out the id column", name));
}

Result<ChargedRun> charge_run(std::vector<PlannedPart> parts, const BaselineOptions& options,
                              double delta, double total_variation, const NoiseSource& noise,
                              StepLedger& ledger) {
  DPFERMI_ASSIGN(JointPlan plan,
                 priced_plan({"training", std::move(parts)}, delta, total_variation));
  if (plan.cost.epsilon > options.epsilon) {
    return failed(
        fmt::format("the releases cost epsilon = {}, more than the {} asked for; ask for "
                    "a larger epsilon or delta",
                    plan.cost.epsilon, options.epsilon));
  }
  plan.fixed_seed = noise.reproducibility() == Reproducibility::kReproducible;
  ChargedRun run;
  DPFERMI_ASSIGN(run.plan, ledger.plan(plan));
  run.statement = statement_of(options.adjacency, plan);
  return run;
}

}  // namespace dpfermi
