#include "optimize/watched_decisions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "optimize/model_choice.h"
#include "optimize/training_run.h"

namespace dpfermi {

std::vector<double> decision_rates(const TrainingPlan& plan, const FairnessState& fairness) {
  if (!plan.max_violation) return {};
  std::vector<double> rates = fairness.decisions().smoothed();
  const std::size_t l = fairness.penalty().setting().classes;
  for (std::size_t cell = 0; cell < rates.size() / l; ++cell) {
    const std::span<double> own = std::span(rates).subspan(cell * l, l);
    double sum = 0;
    for (double& rate : own) {
      rate = std::clamp(rate / fairness.penalty().marginals().groups[cell], 0.0, 1.0);
      sum += rate;
    }
    for (double& rate : own) rate = sum > 0 ? rate / sum : 1 / static_cast<double>(l);
  }
  return rates;
}

TargetVerdict judge_steps(const TrainingPlan& plan, const FairnessState& fairness) {
  const FairnessSetting& setting = fairness.penalty().setting();
  const GroupMarginals& marginals = fairness.penalty().marginals();
  const std::vector<double> joint = fairness.decisions().smoothed();
  const std::vector<double> noise = fairness.decisions().smoothed_noise();
  NoisyRates noisy{{}, marginals.known};
  for (std::size_t i = 0; i < joint.size(); ++i) {
    const std::size_t cell = i / setting.classes;
    if (setting.width() == 1 && i % 2 == 0) continue;
    noisy.rates.push_back(
        {joint[i] / marginals.groups[cell], noise[cell / setting.groups] / marginals.groups[cell]});
  }
  return judge_target(setting, noisy, *plan.max_violation);
}

void prefer_constant(const TrainingPlan& plan, const FairnessState& fairness,
                     TrainingResult& result) {
  const FairnessSetting& setting = fairness.penalty().setting();
  const std::vector<double>& shares = fairness.penalty().marginals().shares;
  if (setting.conditions() != setting.classes || plan.network_parameters > 0) return;
  const std::vector<double> joint = fairness.decisions().smoothed();
  const std::vector<double> noise = fairness.decisions().smoothed_noise();
  double error = 1;
  double variance = 0;
  for (std::size_t c = 0; c < setting.conditions(); ++c) {
    for (std::size_t r = 0; r < setting.groups; ++r) {
      error -= shares[c] * joint[(c * setting.groups + r) * setting.classes + c];
      variance += std::pow(shares[c] * noise[c], 2);
    }
  }
  const auto commonest = std::ranges::max_element(shares);
  const double constant_error = 1 - *commonest;
  if (error <= constant_error + std::sqrt(variance)) return;
  const auto label = static_cast<std::size_t>(commonest - shares.begin());
  result.theta = constant_member(plan.model, label);
  result.returned = fmt::format(
      "the constant: by released figures the trained model errs on {:.3f} of the training data, "
      "the constant on {:.3f}",
      error, constant_error);
  for (std::size_t i = 0; i < result.released_rates.size(); ++i) {
    result.released_rates[i] = i % setting.classes == label ? 1 : 0;
  }
  result.target = TargetVerdict{.met = true};
}

}  // namespace dpfermi
