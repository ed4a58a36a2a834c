#include "optimize/dp_fermi.h"

#include <cmath>

#include "core/mutant.h"
#include "optimize/group_marginals.h"
#include "optimize/planning.h"
#include "optimize/training_defaults.h"

namespace dpfermi {
namespace {

/// Whether anything about protected data has to be released.
bool releases_anything(const TrainingPlan& plan) {
  return !features_are_public(plan.adjacency) || plan.lambda > 0 || plan.max_violation;
}

/// Keeps the walk that noise alone would make within bounds.
void cap_step_size(const TrainingRequest& request, double square, TrainingPlan& plan) {
  if (request.theta_rate) return;
  const double b = plan.table_weight;
  const double noise = plan.noise_multiplier * plan.clip_norm * std::sqrt(square) /
                       (std::sqrt(1 - b * b) * plan.q * plan.units);
  plan.rate_cap = defaults::kNoiseWalk / (noise * std::sqrt(static_cast<double>(plan.steps)));
}

/// Decisions can be queried where inputs are public and the model is in this process.
Status plan_queries(const TrainingRequest& request, TrainingPlan& plan) {
  if (!features_are_public(plan.adjacency) || plan.network_parameters > 0) return {};
  // One for the model without fairness, one for the trained one, one for what is returned.
  constexpr std::uint64_t kLeast = 3;
  plan.queries = request.residual_rounds.value_or(plan.max_violation ? defaults::kTargetQueries
                                                                     : defaults::kLineQueries);
  if (plan.queries == 0 || plan.queries >= kLeast) return {};
  return usage_error("dp-fermi measures with at least " + std::to_string(kLeast) +
                     " `residual_rounds`, or with 0: then it returns the trained model unmeasured");
}

Result<TrainingPlan> plan_private(const TrainingRequest& request, const Dataset& data,
                                  TrainingPlan plan) {
  if (request.notion == FairnessNotion::kNone && !features_are_public(request.adjacency)) {
    return usage_error(
        "dp-fermi needs a fairness notion; for private training without it use `notion` dp "
        "`lambda` 0");
  }
  if (!releases_anything(plan)) return plan_exact(request, data, std::move(plan));
  DPFERMI_TRY(plan_queries(request, plan));
  Status planned = plan_noise(request, plan);
  if (!planned && request.ideal_noise) {
    plan.ideal_noise = true;
    planned = plan_noise(request, plan);
  }
  DPFERMI_TRY(std::move(planned));
  if (mutant(Mutant::kSigmaFromCounts)) {
    plan.noise_multiplier *=
        1 + marginals_of(ExactForHolder::read(data.s), data, fairness_setting(plan)).groups.back();
  }
  if (!request.theorem_plan) cap_step_size(request, mean_square(request, data), plan);
  return plan;
}

Result<TrainingResult> train_private(const Dataset& data, const TrainingPlan& plan,
                                     StepLedger& ledger, NoiseSource noise,
                                     const TrainingHooks& hooks) {
  if (plan.noise_multiplier > 0) return dp_fermi(data, plan, ledger, std::move(noise), hooks);
  return exact_fermi(data, plan, ledger, std::move(noise), hooks);
}

}  // namespace

extern const MethodDescriptor methods::dp_fermi = {
    .name = "dp-fermi",
    .origin = "this tool",
    .summary = "fair and private: the corrected algorithm of this tool",
    .place = 3,
    .colour = "#0072b2",
    .multi_class = true,
    .adjacencies = {Adjacency::kSensitive, Adjacency::kReplaceRecord, Adjacency::kAddRemoveRecord},
    .knob = Knob::kEither,
    .knob_meaning = "lambda, or a violation",
    .minibatch = true,
    .takes_hidden = true,
    .takes_weights = true,
    .takes_network = true,
    .merges_groups = true,
    .plan = plan_private,
    .train_plan = train_private,
};

}  // namespace dpfermi
