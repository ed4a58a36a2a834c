#include "optimize/measured_run.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "model/decisions.h"
#include "optimize/training_defaults.h"
#include "sketch/minimise.h"
#include "sketch/proxy_objective.h"

namespace dpfermi {
namespace {

double error_of(const Dataset& data, std::span<const std::uint16_t> decisions) {
  std::size_t wrong = 0;
  for (std::size_t row = 0; row < data.rows(); ++row) wrong += decisions[row] != data.y[row];
  return static_cast<double>(wrong) / static_cast<double>(data.rows());
}

/// m x k x l, cut to [0, 1], for the record.
std::vector<double> plain_rates(const FairnessSetting& setting, const NoisyRates& noisy) {
  std::vector<double> rates;
  for (const NoisyRate& rate : noisy.rates) {
    const double value = std::clamp(rate.value, 0.0, 1.0);
    if (setting.width() == 1) rates.push_back(1 - value);
    rates.push_back(value);
  }
  return rates;
}

std::string percent(double share) {
  return shortest(std::round(100 * share)) + " %";
}

}  // namespace

std::vector<double> minimise_loss(const Dataset& data, const ModelSpec& model,
                                  const std::vector<double>& start, Workers* workers) {
  const FairnessSetting none{FairnessNotion::kNone, 1, model.classes, 0};
  ProxyObjective objective(data, Network(model), none, std::vector<float>(data.rows(), 1));
  const SmoothFunction loss = [&](std::span<const double> at, std::span<double> gradient) {
    return objective.evaluate(at, 0, 1, gradient, workers);
  };
  std::vector<double> found = start;
  return minimise(loss, found, {defaults::kLossIterations, 1e-5, 1e-6}) ? found : start;
}

MeasuredModels::MeasuredModels(const Dataset& data, const TrainingPlan& plan, ReleasedCounts counts,
                               ResidualQueries queries)
    : data_(&data),
      plan_(&plan),
      setting_(fairness_setting(plan)),
      network_(plan.model),
      counts_(std::move(counts)),
      queries_(std::move(queries)) {}

Result<NoisyRates> MeasuredModels::rates_of(std::span<const std::uint16_t> decisions) {
  DPFERMI_ASSIGN(const DenseStatistic answer, queries_.ask(decisions));
  return queried_rates(setting_, answer.sums, counts_.counts, counts_.deviation, counts_.known);
}

Result<DenseStatistic> MeasuredModels::measure(std::vector<double> theta, double lambda) {
  const std::vector<std::uint16_t> decisions = decisions_of(data_->x, network_, theta);
  DPFERMI_ASSIGN(DenseStatistic answer, queries_.ask(decisions));
  models_.push_back(
      {std::move(theta), lambda, error_of(*data_, decisions),
       queried_rates(setting_, answer.sums, counts_.counts, counts_.deviation, counts_.known)});
  return answer;
}

double MeasuredModels::aim() const {
  const double target = *plan_->max_violation;
  return aimed_violation(measured_gap(setting_, models_[0].rates, target / 2), target);
}

Status MeasuredModels::search(std::uint64_t left) {
  const double target = *plan_->max_violation;
  alphas_ = {0, 1};
  std::vector<double> gaps;
  for (const MeasuredModel& model : models_) {
    gaps.push_back(measured_gap(setting_, model.rates, target / 2).counted);
  }
  while (queries_.remaining() > left) {
    alphas_.push_back(next_point(alphas_, gaps, aim()));
    std::vector<double> theta = models_[0].theta;
    for (std::size_t j = 0; j < theta.size(); ++j) {
      theta[j] += alphas_.back() * (models_[1].theta[j] - theta[j]);
    }
    DPFERMI_TRY(measure(std::move(theta), models_[1].lambda));
    gaps.push_back(measured_gap(setting_, models_.back().rates, target / 2).counted);
  }
  return {};
}

/// The class that is commonest; its rates are known.
void MeasuredModels::add_constant() {
  std::vector<std::size_t> labels(plan_->model.classes);
  for (const std::uint16_t y : data_->y) ++labels[y];
  const auto label = static_cast<std::size_t>(std::ranges::max_element(labels) - labels.begin());
  const std::size_t width = setting_.width();
  NoisyRates rates{{}, counts_.known};
  for (std::size_t i = 0; i < counts_.counts.size() * width; ++i) {
    rates.rates.push_back({(width == 1 ? 1 : i % width) == label ? 1.0 : 0.0, 0});
  }
  const double right = static_cast<double>(labels[label]) / static_cast<double>(data_->rows());
  models_.push_back({constant_member(plan_->model, label), 0, 1 - right, std::move(rates)});
}

NoisyRates MeasuredModels::expected_rates(const ModelChoice& choice) const {
  NoisyRates rates = models_[choice.members[0]].rates;
  if (choice.members.size() > 1) {
    rates = mixed_rates(rates, models_[choice.members[1]].rates, choice.weights[0]);
  }
  return rates;
}

std::string MeasuredModels::name(std::size_t model) const {
  if (model == 0) return "the model without fairness";
  if (model + 1 == models_.size()) return "the constant";
  if (model < 2 || model >= alphas_.size()) return "the trained model";
  return "a model " + percent(alphas_[model]) +
         " of the way from the model without fairness to the trained one";
}

std::string MeasuredModels::describe(const ModelChoice& choice) const {
  const std::size_t first = choice.members[0];
  if (choice.members.size() == 1) {
    return name(first) == name(1) ? "" : name(first) + ", the best that was measured";
  }
  return "a mixture: " + percent(choice.weights[0]) + " " + name(first) + ", " +
         percent(choice.weights[1]) + " " + name(choice.members[1]) + "; " +
         (plan_->max_violation
              ? "no single model that was measured is within the target and below the free line"
              : "the trained model is above the free line");
}

Status MeasuredModels::return_best(TrainingResult& result) {
  add_constant();
  const std::optional<double> target = plan_->max_violation;
  const ModelChoice choice =
      target ? choose_model(setting_, models_, *target, *target / 2, plan_->mixtures)
             : keep_trained(setting_, models_, plan_->mixtures);
  result.returned = describe(choice);
  result.theta.clear();
  result.lambda = 0;
  for (const std::size_t member : choice.members) {
    const MeasuredModel& model = models_[member];
    result.theta.insert(result.theta.end(), model.theta.begin(), model.theta.end());
    result.lambda = std::max(result.lambda, model.lambda);
  }
  if (choice.members.size() > 1) result.rule.weights = choice.weights;

  NoisyRates rates = expected_rates(choice);
  if (queries_.remaining() > 0) {
    DPFERMI_ASSIGN(NoisyRates made, rates_of(rule_decisions(result.rule, plan_->model, result.theta,
                                                            plan_->favourable, data_->x, {})));
    // Two answers about the same decisions; those of a mixture were not asked about before.
    rates = choice.members.size() == 1 ? mixed_rates(rates, made, 0.5) : std::move(made);
  }
  result.released_rates = plain_rates(setting_, rates);
  result.violation = violation_interval(setting_, rates);
  if (target) result.target = judge_target(setting_, rates, *target);
  return {};
}

}  // namespace dpfermi
