#include "optimize/train_at_once.h"

#include "optimize/group_marginals.h"
#include "optimize/training_defaults.h"
#include "optimize/training_run.h"

namespace dpfermi {
namespace {

/// rows x groups: s as probabilities.
std::vector<float> one_hot(const std::vector<std::uint16_t>& s, std::size_t groups) {
  std::vector<float> table(s.size() * groups);
  for (std::size_t row = 0; row < s.size(); ++row) table[row * groups + s[row]] = 1;
  return table;
}

std::vector<bool> groups_with_members(const Dataset& data, const FairnessSetting& setting) {
  std::vector<bool> known;
  for (const double share : exact_marginals(data, setting).groups) known.push_back(share > 0);
  return known;
}

ProxyTraining fair_training(const TrainingPlan& plan) {
  ProxyTraining options;
  options.steps = defaults::kLossIterations;
  options.taus = {plan.tau};
  if (plan.max_violation) {
    options.taus.insert(options.taus.begin(), plan.tau / 2);
  } else {
    options.tolerance = defaults::kLossTolerance;
  }
  return options;
}

Result<ProxyFit> minimise_fairly(const Dataset& data, const TrainingPlan& plan,
                                 std::vector<double> theta, const ProxyTraining& options,
                                 Workers& workers) {
  const FairnessSetting setting = fairness_setting(plan);
  ProxyObjective objective(data, Network(plan.model), setting,
                           one_hot(ExactForHolder::read(data.s), plan.groups),
                           groups_with_members(data, setting));
  if (!plan.max_violation) {
    return fit_model(objective, std::move(theta), plan.lambda, options, &workers);
  }
  return fit_to_target(objective, theta, *plan.max_violation, options, &workers);
}

}  // namespace

Result<ProxyFit> minimise_loss(const Dataset& data, const ModelSpec& model,
                               std::vector<double> theta, Workers& workers,
                               const std::function<bool(std::span<const double>)>& watch) {
  ProxyObjective objective(data, Network(model), {FairnessNotion::kNone, 1, model.classes, 0}, {});
  ProxyTraining options;
  options.steps = defaults::kHiddenIterations;
  if (model.hidden.empty()) {
    options.steps = defaults::kLossIterations;
    options.tolerance = defaults::kLossTolerance;
  }
  options.watch = watch;
  return fit_model(objective, std::move(theta), 0, options, &workers);
}

std::size_t most_iterations(const TrainingPlan& plan) {
  return most_steps(fair_training(plan), plan.max_violation.has_value());
}

Result<TrainingResult> train_at_once(const Dataset& data, const TrainingPlan& plan,
                                     PrivacyStatement statement, NoiseSource& noise,
                                     const TrainingHooks& hooks) {
  const Stopwatch stopwatch;
  Workers workers(hooks.threads);
  SolverState state;
  const auto watch = [&](std::span<const double> theta) {
    ++state.step;
    state.theta.assign(theta.begin(), theta.end());
    return tell_progress(hooks, plan, state, plan.lambda);
  };
  DPFERMI_ASSIGN(std::vector<double> theta, starting_parameters(plan, noise, hooks));
  ProxyTraining options = fair_training(plan);
  options.watch = watch;
  DPFERMI_ASSIGN(ProxyFit fit,
                 reads_groups_exactly(plan)
                     ? minimise_fairly(data, plan, std::move(theta), options, workers)
                     : minimise_loss(data, plan.model, std::move(theta), workers, watch));
  DPFERMI_TRY(check_finite(fit.theta));
  TrainingResult result;
  result.theta = std::move(fit.theta);
  result.lambda = fit.lambda;
  result.steps = state.step;
  result.statement = std::move(statement);
  result.seconds = stopwatch.seconds();
  return result;
}

}  // namespace dpfermi
