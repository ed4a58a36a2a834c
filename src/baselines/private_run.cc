#include "baselines/private_run.h"

#include <fmt/format.h>

#include "dpfermi/privacy/accountant/price.h"

namespace dpfermi {

double delta_of(const BaselineOptions& options, const Dataset& data) {
  const auto n = static_cast<double>(data.unit_count);
  return options.delta.value_or(1 / (n * n));
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

Result<PureRun> charge_pure(const std::string& purpose, const BaselineOptions& options,
                            const NoiseSource& noise, StepLedger& ledger) {
  const double epsilon = options.epsilon * (1 - 1e-9);
  DPFERMI_ASSIGN(const PrivacyEvent event,
                 PrivacyEvent::create(options.adjacency, PureRelease{epsilon}));
  DPFERMI_ASSIGN(ChargedRun run, charge_run({{purpose, event}}, options, 0, 0, noise, ledger));
  DPFERMI_ASSIGN(ReleasePermit permit, ledger.claim(run.plan, 0, 0, 1));
  run.statement.claimed_epsilon = options.epsilon;
  return PureRun{epsilon, std::move(permit), std::move(run.statement)};
}

}  // namespace dpfermi
