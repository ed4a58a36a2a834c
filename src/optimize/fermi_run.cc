#include "optimize/fermi_run.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "dpfermi/core/mutant.h"
#include "dpfermi/optimize/defaults.h"
#include "dpfermi/sample/index_sampler.h"
#include "dpfermi/sample/poisson_sampler.h"

namespace dpfermi {

FairnessSetting fairness_setting(const TrainingPlan& plan) {
  return {plan.notion, plan.groups, plan.model.classes, plan.favourable};
}

FermiOptions fermi_options(const TrainingPlan& plan) {
  return {.lambda = plan.lambda,
          .tau = plan.tau,
          .clip_norm = plan.clip_norm,
          .table_weight = plan.table_weight,
          .smoothing = plan.smoothing,
          .decision_smoothing = plan.smoothing * defaults::kDecisionSmoothing,
          .watch_decisions = plan.max_violation.has_value()};
}

SolverOptions solver_options(const TrainingPlan& plan) {
  SolverOptions options;
  options.steps = plan.steps;
  options.theta_rate = [rate = plan.theta_rate](std::uint64_t) { return rate; };
  options.w_rate = [rate = plan.w_rate](std::uint64_t) { return rate; };
  options.dual = plan.dual;
  options.iterate = plan.iterate;
  options.random_iterate = plan.random_iterate;
  return options;
}

StepSize fermi_rate(const TrainingPlan& plan, const FermiTerms& problem) {
  return [&plan, &problem](std::uint64_t) {
    const double smooth = plan.theta_rate / (1 + plan.rate_per_lambda * problem.lambda());
    return std::min(smooth, plan.rate_cap / problem.noise_scale());
  };
}

std::vector<double> condition_shares(const Dataset& data, const UnitRows& rows,
                                     const FairnessSetting& setting) {
  const std::vector<std::uint32_t> condition = setting.condition_by_label();
  std::vector<double> sums(setting.conditions() + 1);
  for (std::uint32_t row = 0; row < data.rows(); ++row) {
    sums[condition[data.y[row]]] += rows.weight(data.units[row]);
  }
  sums.pop_back();
  for (double& sum : sums) sum /= static_cast<double>(data.unit_count);
  return sums;
}

GroupMarginals marginals_from(std::span<const double> counts, const FairnessSetting& setting,
                              std::vector<double> shares, double floor) {
  const std::size_t k = setting.groups;
  GroupMarginals marginals{std::move(shares), std::vector<double>(setting.conditions() * k)};
  std::vector<double> totals(setting.conditions());
  double everybody = 0;
  for (std::size_t c = 0; c < totals.size(); ++c) {
    for (std::size_t r = 0; r < k; ++r) totals[c] += std::max(counts[c * k + r], floor);
    for (std::size_t r = 0; r < k; ++r) {
      marginals.groups[c * k + r] = std::max(counts[c * k + r], floor) / totals[c];
    }
    everybody += totals[c];
  }
  if (!marginals.shares.empty()) return marginals;
  // Rows of no condition (equal opportunity) are counted behind the last one.
  if (counts.size() > totals.size() * k) everybody += std::max(counts.back(), floor);
  for (const double total : totals) marginals.shares.push_back(total / everybody);
  return marginals;
}

void mark_known(const TrainingPlan& plan, GroupMarginals& marginals) {
  marginals.known.clear();
  for (std::size_t cell = 0; cell < marginals.groups.size(); ++cell) {
    const double count = marginals.groups[cell] * marginals.shares[cell / plan.groups] * plan.units;
    marginals.known.push_back(count > defaults::kKnown * plan.counts_sigma);
  }
}

Result<PublicBatches> public_batches(const TrainingPlan& plan, const Dataset& data,
                                     NoiseSource& noise, std::uint64_t first) {
  if (mutant(Mutant::kPublicPartOnSecretBatch)) {
    DPFERMI_ASSIGN(NoiseLane secret, noise.open(Purpose::kSecretBatch));
    DPFERMI_ASSIGN(
        PoissonSampler drawn,
        PoissonSampler::create(plan.units, *SamplingRate::nearest(plan.q), std::move(secret)));
    auto twin = std::make_shared<PoissonSampler>(std::move(drawn));
    return PublicBatches([twin] {
      return twin->next_revealed().map(
          [](RevealedBatch batch) { return std::move(batch.members); });
    });
  }
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kPublicBatch));
  DPFERMI_ASSIGN(ShuffleSampler sampler,
                 ShuffleSampler::create(static_cast<std::uint32_t>(data.unit_count), plan.batch,
                                        std::move(lane)));
  sampler.skip(first);
  auto shared = std::make_shared<ShuffleSampler>(std::move(sampler));
  return PublicBatches([shared] { return shared->next(); });
}

void LambdaController::steer(FermiTerms& problem) const {
  constexpr double kLeast = 1e-3;
  constexpr double kMost = 200;  // beyond, steps get too short to follow
  if (!target_ || problem.w_size() == 0 || !problem.penalty().comparable()) return;
  const double off = (problem.decision_violation() - *target_) / std::max(*target_, 0.02);
  const double factor = std::exp(gain_ * std::clamp(off, -1.0, 1.0));
  problem.set_lambda(std::clamp(problem.lambda() * factor, kLeast, kMost));
}

}  // namespace dpfermi
