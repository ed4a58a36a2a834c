#include "optimize/measured_run.h"

#include <algorithm>
#include <cmath>

#include "core/mutant.h"
#include "core/text.h"
#include "model/decisions.h"
#include "optimize/group_marginals.h"

namespace dpfermi {
namespace {

/// Networks of one shape.
class Networks final : public ModelFamily {
 public:
  Networks(const Dataset& data, const TrainingPlan& plan)
      : data_(&data), plan_(&plan), network_(plan.model), weights_(case_weights(data)) {}

  std::vector<std::uint16_t> decide(std::span<const double> theta) const override {
    return decisions_of(data_->x, network_, theta);
  }
  double cost(std::span<const std::uint16_t> decisions) const override {
    double wrong = 0;
    for (std::size_t row = 0; row < data_->rows(); ++row) {
      if (decisions[row] != data_->y[row]) wrong += weights_[row];
    }
    return wrong / static_cast<double>(data_->rows());
  }
  std::vector<double> constant(std::size_t label) const override {
    return constant_member(plan_->model, label);
  }
  void adopt(std::vector<double> members, std::vector<double> weights,
             TrainingResult& result) const override {
    result.theta = std::move(members);
    if (weights.size() > 1) result.rule.weights = std::move(weights);
  }
  std::vector<std::uint16_t> decide(const TrainingResult& result) const override {
    return rule_decisions(result.rule, plan_->model, result.theta, plan_->favourable, data_->x, {});
  }

 private:
  const Dataset* data_;
  const TrainingPlan* plan_;
  Network network_;
  std::vector<double> weights_;  ///< of rows
};

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

/// What a planted defect asks about.
std::vector<std::uint16_t> two_groups(std::vector<std::uint16_t> groups) {
  for (std::uint16_t& group : groups) group %= 2;
  return groups;
}

std::string percent(double share) {
  return shortest(std::round(100 * share)) + " %";
}

}  // namespace

void adopt_rates(const FairnessSetting& setting, const NoisyRates& rates,
                 std::optional<double> target, TrainingResult& result) {
  result.released_rates = plain_rates(setting, rates);
  result.violation = violation_interval(setting, rates);
  if (target) result.target = judge_target(setting, rates, *target);
}

MeasuredModels::MeasuredModels(const Dataset& data, const TrainingPlan& plan, ReleasedCounts counts,
                               ResidualQueries queries, std::shared_ptr<const ModelFamily> family)
    : data_(&data),
      plan_(&plan),
      setting_(fairness_setting(plan)),
      family_(family ? std::move(family) : std::make_shared<Networks>(data, plan)),
      counts_(std::move(counts)),
      queries_(std::move(queries)) {}

Result<NoisyRates> MeasuredModels::rates_of(std::vector<std::uint16_t> decisions) {
  if (mutant(Mutant::kQueryAboutGroups)) decisions = two_groups(ExactForHolder::read(data_->s));
  DPFERMI_ASSIGN(const DenseStatistic answer, queries_.ask(decisions));
  return queried_rates(setting_, answer.sums, counts_.counts, counts_.deviation, counts_.known);
}

Result<DenseStatistic> MeasuredModels::measure(std::vector<double> theta, double lambda) {
  const std::vector<std::uint16_t> decisions = family_->decide(theta);
  DPFERMI_ASSIGN(DenseStatistic answer, queries_.ask(decisions));
  models_.push_back(
      {std::move(theta), lambda, family_->cost(decisions),
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

/// The decision that costs least if everybody gets it; its rates are known.
void MeasuredModels::add_constant() {
  std::vector<double> costs;
  for (std::size_t j = 0; j < plan_->model.classes; ++j) {
    costs.push_back(family_->cost(std::vector(data_->rows(), static_cast<std::uint16_t>(j))));
  }
  const auto label = static_cast<std::size_t>(std::ranges::min_element(costs) - costs.begin());
  const std::size_t width = setting_.width();
  NoisyRates rates{{}, counts_.known};
  for (std::size_t i = 0; i < counts_.counts.size() * width; ++i) {
    rates.rates.push_back({(width == 1 ? 1 : i % width) == label ? 1.0 : 0.0, 0});
  }
  models_.push_back({family_->constant(label), 0, costs[label], std::move(rates)});
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
  ModelChoice choice = target
                           ? choose_model(setting_, models_, *target, *target / 2, plan_->mixtures)
                           : keep_trained(setting_, models_, plan_->mixtures);
  if (mutant(Mutant::kChoiceByGroups)) choice = {{ExactForHolder::read(data_->s).back() % 2U}, {1}};
  result.returned = describe(choice);
  ChosenMembers chosen = chosen_members(models_, choice);
  result.lambda = chosen.lambda;
  family_->adopt(std::move(chosen.theta), choice.weights, result);

  NoisyRates rates = expected_rates(choice);
  if (queries_.remaining() > 0) {
    DPFERMI_ASSIGN(NoisyRates made, rates_of(family_->decide(result)));
    // Two answers about the same decisions; those of a mixture were not asked about before.
    rates = choice.members.size() == 1 ? mixed_rates(rates, made, 0.5) : std::move(made);
  }
  adopt_rates(setting_, rates, target, result);
  if (mutant(Mutant::kVerdictByGroups) && result.target)
    result.target->released =
        marginals_of(ExactForHolder::read(data_->s), *data_, setting_).groups.front();
  return {};
}

}  // namespace dpfermi
