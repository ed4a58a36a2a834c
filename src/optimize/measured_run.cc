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

Candidates::Candidates(const Dataset& data, const TrainingPlan& plan,
                       std::shared_ptr<const ModelFamily> family)
    : data_(&data),
      plan_(&plan),
      setting_(fairness_setting(plan)),
      family_(family ? std::move(family) : std::make_shared<Networks>(data, plan)) {}

void Candidates::add(MeasuredModel model, std::string name) {
  models_.push_back(std::move(model));
  names_.push_back(std::move(name));
}

/// The decision that costs least if everybody gets it; its rates are known.
void Candidates::add_constant() {
  std::vector<double> costs;
  for (std::size_t j = 0; j < plan_->model.classes; ++j) {
    costs.push_back(family_->cost(std::vector(data_->rows(), static_cast<std::uint16_t>(j))));
  }
  const auto label = static_cast<std::size_t>(std::ranges::min_element(costs) - costs.begin());
  const std::size_t width = setting_.width();
  NoisyRates rates{{}, models_[0].rates.known};
  for (std::size_t i = 0; i < models_[0].rates.rates.size(); ++i) {
    rates.rates.push_back({(width == 1 ? 1 : i % width) == label ? 1.0 : 0.0, 0});
  }
  add({family_->constant(label), 0, costs[label], std::move(rates)}, "the constant");
}

std::string Candidates::describe(const ModelChoice& choice) const {
  const auto name = [&](std::size_t member) {
    if (member == 0) return std::string("the model without fairness");
    return names_[member].empty() ? "the trained model" : names_[member];
  };
  const std::size_t first = choice.members[0];
  if (choice.members.size() == 1) {
    return first > 0 && names_[first].empty() ? "" : name(first) + ", the best that was measured";
  }
  return "a mixture: " + percent(choice.weights[0]) + " " + name(first) + ", " +
         percent(choice.weights[1]) + " " + name(choice.members[1]) + "; " +
         (plan_->max_violation
              ? "no single model that was measured is within the target and below the free line"
              : "the trained model is above the free line");
}

void Candidates::choose(TrainingResult& result) {
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
}

MeasuredModels::MeasuredModels(const Dataset& data, const TrainingPlan& plan, ReleasedCounts counts,
                               ResidualQueries queries, std::shared_ptr<const ModelFamily> family)
    : data_(&data),
      plan_(&plan),
      candidates_(data, plan, std::move(family)),
      counts_(std::move(counts)),
      queries_(std::move(queries)) {}

NoisyRates MeasuredModels::rates_by(const DenseStatistic& answer) const {
  return queried_rates(candidates_.setting(), answer.sums, counts_.counts, counts_.deviation,
                       counts_.known);
}

Result<DenseStatistic> MeasuredModels::measure(std::vector<double> theta, double lambda,
                                               std::string name) {
  const ModelFamily& family = candidates_.family();
  const std::vector<std::uint16_t> decisions = family.decide(theta);
  DPFERMI_ASSIGN(DenseStatistic answer, queries_.ask(decisions));
  candidates_.add({std::move(theta), lambda, family.cost(decisions), rates_by(answer)},
                  std::move(name));
  return answer;
}

double MeasuredModels::aim() const {
  const double target = *plan_->max_violation;
  const NoisyRates& unfair = candidates_.models().front().rates;
  return aimed_violation(measured_gap(candidates_.setting(), unfair, target / 2), target);
}

std::vector<double> MeasuredModels::margins() const {
  const FairnessSetting& setting = candidates_.setting();
  std::vector<double> margins;
  for (const double margin :
       noise_margins(candidates_.models().front().rates, *plan_->max_violation)) {
    // Of two classes one stands for both.
    margins.insert(margins.end(), setting.classes / setting.width(), margin);
  }
  return margins;
}

Status MeasuredModels::search(std::uint64_t left) {
  const double target = *plan_->max_violation;
  const auto gap = [&](const NoisyRates& rates) {
    return measured_gap(candidates_.setting(), rates, target / 2).counted;
  };
  const std::vector<MeasuredModel>& models = candidates_.models();
  std::vector<double> alphas = {0, 1};
  std::vector<double> gaps = {gap(models[0].rates), gap(models[1].rates)};
  while (queries_.remaining() > left) {
    alphas.push_back(next_point(alphas, gaps, aim()));
    std::vector<double> theta = models[0].theta;
    for (std::size_t j = 0; j < theta.size(); ++j) {
      theta[j] += alphas.back() * (models[1].theta[j] - theta[j]);
    }
    DPFERMI_TRY(measure(std::move(theta), models[1].lambda,
                        "a model " + percent(alphas.back()) +
                            " of the way from the model without fairness to the trained one"));
    gaps.push_back(gap(latest()));
  }
  return {};
}

Status MeasuredModels::return_best(TrainingResult& result) {
  candidates_.choose(result);
  std::vector<std::uint16_t> decisions = candidates_.family().decide(result);
  if (mutant(Mutant::kQueryAboutGroups)) decisions = two_groups(ExactForHolder::read(data_->s));
  // The answer by which a model was chosen flatters it, and does not count again.
  DPFERMI_ASSIGN(const DenseStatistic answer, queries_.ask(decisions));
  adopt_rates(candidates_.setting(), rates_by(answer), plan_->max_violation, result);
  if (mutant(Mutant::kVerdictByGroups) && result.target) {
    result.target->released =
        marginals_of(ExactForHolder::read(data_->s), *data_, candidates_.setting()).groups.front();
  }
  return {};
}

}  // namespace dpfermi
