// The methods without noise.

#include "dpfermi/optimize/deep_problem.h"
#include "dpfermi/optimize/defaults.h"
#include "dpfermi/optimize/dp_fermi.h"
#include "dpfermi/optimize/dp_fermi_paper.h"
#include "dpfermi/optimize/oracles.h"
#include "optimize/fermi_run.h"
#include "optimize/run_support.h"

namespace dpfermi {
namespace {

/// Charges what is read exactly: then nothing is promised. If that is nothing, nothing can leak.
Result<PrivacyStatement> exact_statement(const TrainingPlan& plan, StepLedger& ledger,
                                         Reproducibility noise) {
  PrivacyStatement statement;
  statement.adjacency = plan.adjacency;
  statement.noise = noise;
  if (reads_exactly(plan)) {
    DPFERMI_ASSIGN(StatedRelease release,
                   charge_exact(ledger, plan.adjacency, to_string(plan.method), noise));
    statement.releases.push_back(std::move(release));
  } else {
    statement.cost = {0, 0};
    statement.accountant = "nothing was released: s was never read";
  }
  return statement;
}

/// Exact marginals; a group without members gets one, as its share is a divisor.
GroupMarginals positive_marginals(const Dataset& data, const FairnessSetting& setting) {
  GroupMarginals exact = exact_marginals(data, setting);
  for (std::size_t cell = 0; cell < exact.groups.size(); ++cell) {
    exact.groups[cell] *=
        exact.shares[cell / setting.groups] * static_cast<double>(data.unit_count);
  }
  return marginals_from(exact.groups, setting, exact.shares, defaults::kLeastCount);
}

/// The steps, on whatever the model is.
template <MinMaxProblem Problem>
Result<TrainingResult> run_steps(const Dataset& data, const TrainingPlan& plan, Problem& problem,
                                 PrivacyStatement statement, NoiseSource& noise,
                                 const TrainingHooks& hooks) {
  DPFERMI_ASSIGN(SolverState state, starting_state(plan, problem.penalty().fair_w(), noise, hooks));
  DPFERMI_ASSIGN(const PublicBatches batches, public_batches(plan, data, noise, state.step));
  const LambdaController controller(plan);
  const StepWatcher observer = [&](const SolverState& now) {
    controller.steer(problem);
    return report(hooks, plan, now, problem.lambda());
  };
  SolverOptions options = solver_options(plan);
  options.theta_rate = fermi_rate(plan, problem);
  Workers workers(hooks.threads);
  const Stopwatch watch;
  if (reads_groups_exactly(plan)) {
    ExactOracle oracle;
    DPFERMI_TRY(solve(problem, oracle, batches, options, state, observer, &workers));
  } else {
    NoOracle oracle;
    DPFERMI_TRY(solve(problem, oracle, batches, options, state, observer, &workers));
  }
  return finish(state, options, problem.lambda(), watch.seconds(), std::move(statement));
}

}  // namespace

Result<TrainingResult> exact_fermi(const Dataset& data, const TrainingPlan& given,
                                   StepLedger& ledger, NoiseSource noise,
                                   const TrainingHooks& hooks) {
  TrainingPlan plan = given;
  DPFERMI_TRY(draw_iterate(plan, noise));
  DPFERMI_ASSIGN(PrivacyStatement statement,
                 exact_statement(plan, ledger, noise.reproducibility()));
  FairnessSetting setting = fairness_setting(plan);
  if (!reads_groups_exactly(plan)) setting.notion = FairnessNotion::kNone;
  GroupMarginals marginals;
  if (reads_groups_exactly(plan)) marginals = positive_marginals(data, setting);
  ErmiPenalty penalty(setting, std::move(marginals));

  // Which terms are secret makes no difference to their sum.
  constexpr Adjacency kAny = Adjacency::kSensitive;
  if (plan.network > 0) {
    DPFERMI_ASSIGN(
        DeepProblem problem,
        DeepProblem::create(data, *hooks.network, std::move(penalty), kAny, fermi_options(plan)));
    return run_steps(data, plan, problem, std::move(statement), noise, hooks);
  }
  FermiProblem problem(data, Network(plan.model), std::move(penalty), kAny, fermi_options(plan),
                       hooks.threads);
  return run_steps(data, plan, problem, std::move(statement), noise, hooks);
}

}  // namespace dpfermi
