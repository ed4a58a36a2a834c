#include "optimize/train_at_once.h"

#include "optimize/group_marginals.h"
#include "optimize/training_defaults.h"
#include "optimize/training_run.h"
#include "sketch/proxy_training.h"

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

/// d: the mean square of every column of x.
std::vector<double> column_squares(const HybridMatrix& x) {
  std::vector<double> squares(x.columns() + 1);  // the last is for "no category"
  const double weight = 1 / static_cast<double>(x.rows());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const HybridMatrix::Row row = x.row(i);
    for (std::size_t j = 0; j < row.numbers.size(); ++j) {
      squares[j] += weight * row.numbers[j] * row.numbers[j];
    }
    for (const std::uint16_t column : row.ones) squares[column] += weight;
  }
  squares.pop_back();
  return squares;
}

/// The minimum of the loss alone, from `theta` on.
Result<ProxyFit> minimise_loss(const Dataset& data, const TrainingPlan& plan,
                               std::vector<double> theta, const ProxyTraining& options,
                               Workers& workers) {
  FairnessSetting setting = fairness_setting(plan);
  setting.notion = FairnessNotion::kNone;
  ProxyObjective objective(data, Network(plan.model), setting, {});
  return fit_model(objective, std::move(theta), 0, options, &workers);
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

Result<TrainingResult> train_at_once(const Dataset& data, const TrainingPlan& plan,
                                     PrivacyStatement statement, NoiseSource& noise,
                                     const TrainingHooks& hooks) {
  const Stopwatch watch;
  Workers workers(hooks.threads);
  SolverState state;
  ProxyTraining options;
  options.free_steps = defaults::kExactIterations;
  options.taus = {plan.tau};
  if (plan.max_violation) options.taus.insert(options.taus.begin(), plan.tau / 2);
  options.watch = [&](std::span<const double> theta) {
    ++state.step;
    state.theta.assign(theta.begin(), theta.end());
    return tell_progress(hooks, plan, state, plan.lambda);
  };
  DPFERMI_ASSIGN(std::vector<double> theta, starting_parameters(plan, noise, hooks));
  const auto minimise = reads_groups_exactly(plan) ? minimise_fairly : minimise_loss;
  DPFERMI_ASSIGN(ProxyFit fit, minimise(data, plan, std::move(theta), options, workers));
  DPFERMI_TRY(check_finite(fit.theta));
  TrainingResult result;
  result.theta = std::move(fit.theta);
  result.lambda = fit.lambda;
  result.steps = state.step;
  result.statement = std::move(statement);
  result.seconds = watch.seconds();
  return result;
}

bool starts_at_minimum(const TrainingPlan& plan, const Dataset& data, const TrainingHooks& hooks) {
  const bool may = features_are_public(plan.adjacency) && plan.model.hidden.empty() &&
                   plan.network_parameters == 0 && hooks.start.empty() && hooks.resume == nullptr &&
                   data.rows() <= defaults::kMostRowsAtOnce;
  if (!may) return false;
  double all = 1;
  double slow = 0;
  for (const double square : column_squares(data.x)) {
    all += square;
    // Curvature is about a quarter of it.
    if (plan.theta_rate * static_cast<double>(plan.steps) * square / 4 < 1) slow += square;
  }
  return slow > defaults::kSlowShare * all;
}

Result<std::vector<double>> loss_minimum(const Dataset& data, const TrainingPlan& plan,
                                         const TrainingHooks& hooks) {
  Workers workers(hooks.threads);
  ProxyTraining options;
  options.free_steps = defaults::kExactIterations;
  options.watch = [&](std::span<const double> theta) {
    return !hooks.progress || hooks.progress({0, plan.steps, plan.lambda, theta});
  };
  DPFERMI_ASSIGN(
      ProxyFit fit,
      minimise_loss(data, plan, std::vector<double>(plan.parameter_count()), options, workers));
  if (fit.stopped) return failed("interrupted: nothing was charged, and no model was written");
  return std::move(fit.theta);
}

}  // namespace dpfermi
