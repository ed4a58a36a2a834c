#include "optimize/train_at_once.h"

#include <fmt/format.h>

#include <array>

#include "optimize/group_marginals.h"
#include "optimize/model_choice.h"
#include "optimize/training_defaults.h"
#include "sketch/sketch_defaults.h"

namespace dpfermi {
namespace {

/// rows x groups: s as probabilities.
std::vector<float> one_hot(const std::vector<std::uint16_t>& s, std::size_t groups) {
  std::vector<float> table(s.size() * groups);
  for (std::size_t row = 0; row < s.size(); ++row) table[row * groups + s[row]] = 1;
  return table;
}

std::vector<bool> groups_with_members(const Dataset& data, const FairnessSetting& setting,
                                      const ExactRead& read) {
  std::vector<bool> known;
  for (const double share : exact_marginals(data, setting, read).groups) known.push_back(share > 0);
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

TrainingResult result_of(ProxyFit fit) {
  TrainingResult result;
  result.theta = std::move(fit.theta);
  result.lambda = fit.lambda;
  return result;
}

/// Of the model without fairness, the fair one, the constant and mixtures of two of them, what
/// choose_model() takes where the fair one misses the target or is above the free line.
TrainingResult below_the_line(ProxyObjective& objective, const std::vector<bool>& known,
                              const TrainingPlan& plan, std::vector<MeasuredModel> models,
                              Workers& workers) {
  const FairnessSetting setting = fairness_setting(plan);
  constexpr double kReached = 0.005;  // what a target may be missed by
  constexpr std::array kNames = {"the model without fairness", "the trained model", "the constant"};
  for (MeasuredModel& model : models) {
    model.error = objective.decisions(model.theta, 1, &workers).error;
    const std::vector<double> rates = objective.decision_rates(model.theta, &workers);
    for (std::size_t i = 0; i < rates.size(); ++i) {
      // Of two classes the second stands for both.
      if (setting.classes > 2 || i % 2 == 1) model.rates.rates.push_back({rates[i], 0});
    }
    model.rates.known = known;
  }
  const double gap = measured_gap(setting, models[1].rates, 1).counted;
  const ModelChoice choice =
      gap <= *plan.max_violation + kReached
          ? keep_trained(setting, models, plan.mixtures)
          : choose_model(setting, models, *plan.max_violation, 1, plan.mixtures);
  ChosenMembers chosen = chosen_members(models, choice);
  TrainingResult result;
  result.theta = std::move(chosen.theta);
  result.lambda = chosen.lambda;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < choice.members.size(); ++i) {
    parts.push_back(fmt::format("{:.0f} % {}", 100 * choice.weights[i], kNames[choice.members[i]]));
  }
  if (parts.size() > 1) {
    result.rule.weights = choice.weights;
    result.returned = fmt::format("a mixture: {}", fmt::join(parts, ", "));
  } else if (choice.members[0] != 1) {
    result.returned = kNames[choice.members[0]];
  }
  return result;
}

Result<TrainingResult> minimise_fairly(const Dataset& data, const TrainingPlan& plan,
                                       const ExactRead& read, const std::vector<double>& theta,
                                       const ProxyTraining& options, Workers& workers) {
  const FairnessSetting setting = fairness_setting(plan);
  const std::vector<bool> known = groups_with_members(data, setting, read);
  ProxyObjective objective(data, Network(plan.model), setting,
                           one_hot(read.of(data.s), plan.groups), known);
  if (!plan.max_violation) {
    return fit_model(objective, theta, plan.lambda, options, &workers).map(result_of);
  }
  DPFERMI_ASSIGN(ProxyFit fit,
                 fit_to_target(objective, theta, *plan.max_violation, options, &workers));
  if (fit.stopped) return result_of(std::move(fit));
  std::vector<double> constant =
      constant_member(plan.model, commonest_label(data.y, plan.model.classes, data.weights));
  return below_the_line(
      objective, known, plan,
      {{std::move(fit.start)}, {std::move(fit.theta), fit.lambda}, {std::move(constant)}}, workers);
}

}  // namespace

std::size_t loss_iterations(const ModelSpec& model) {
  return model.hidden.empty() ? defaults::kLossIterations : defaults::kHiddenIterations;
}

std::size_t start_iterations(const TrainingPlan& plan, std::size_t rows) {
  const std::size_t most = loss_iterations(plan.model);
  if (plan.model.hidden.empty()) return most;
  const std::uint64_t passes = 2 * plan.steps * plan.batch / std::max<std::size_t>(rows, 1);
  return std::clamp<std::size_t>(passes, std::min(defaults::kLeastPasses, most), most);
}

Result<ProxyFit> minimise_loss(const Dataset& data, const ModelSpec& model,
                               std::vector<double> theta, Workers& workers, std::size_t most,
                               const std::function<bool(std::span<const double>)>& watch) {
  ProxyObjective objective(data, Network(model), {FairnessNotion::kNone, 1, model.classes, 0}, {});
  ProxyTraining options;
  options.steps = most;
  if (model.hidden.empty()) options.tolerance = defaults::kLossTolerance;
  options.watch = watch;
  return fit_model(objective, std::move(theta), 0, options, &workers);
}

std::size_t most_iterations(const TrainingPlan& plan) {
  return most_steps(fair_training(plan), plan.max_violation.has_value());
}

Result<TrainingResult> train_at_once(const Dataset& data, const TrainingPlan& plan,
                                     ExactOpening opening, NoiseSource& noise,
                                     const TrainingHooks& hooks) {
  const Stopwatch stopwatch;
  Workers workers(hooks.threads, hooks.team);
  SolverState state;
  const auto watch = [&](std::span<const double> theta) {
    state.step = std::min<std::uint64_t>(state.step + 1, plan.steps);
    state.theta.assign(theta.begin(), theta.end());
    return tell_progress(hooks, plan, state, plan.lambda);
  };
  DPFERMI_ASSIGN(std::vector<double> theta, starting_parameters(plan, noise, hooks));
  ProxyTraining options = fair_training(plan);
  options.watch = watch;
  DPFERMI_ASSIGN(TrainingResult result,
                 reads_groups_exactly(plan)
                     ? minimise_fairly(data, plan, *opening.read, theta, options, workers)
                     : minimise_loss(data, plan.model, std::move(theta), workers,
                                     loss_iterations(plan.model), watch)
                           .map(result_of));
  DPFERMI_TRY(check_finite(result.theta));
  result.steps = state.step;
  result.statement = std::move(opening.statement);
  result.seconds = stopwatch.seconds();
  return result;
}

}  // namespace dpfermi
