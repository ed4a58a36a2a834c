#include "optimize/fermi_opening.h"

#include <algorithm>

#include "core/mutant.h"
#include "optimize/group_marginals.h"
#include "optimize/small_groups.h"
#include "optimize/train_at_once.h"
#include "optimize/training_run.h"

namespace dpfermi {
namespace {

constexpr std::size_t kCounts = 0;  // part of the joint plan

/// Which groups are merged, where that was asked for, and the counts of those that are left.
Status release_counts(const Dataset& data, const TrainingPlan& plan, StepLedger& ledger,
                      NoiseSource& noise, FermiOpening& opening) {
  DPFERMI_ASSIGN(ReleasePermit permit,
                 ledger.claim(opening.charge, kCounts, 0, opening.releases.parts[kCounts].steps));
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kCountsNoise));
  DPFERMI_ASSIGN(CountsPrivatizer counts,
                 CountsPrivatizer::create(plan.adjacency, plan.counts_sigma, std::move(permit),
                                          std::move(lane)));
  if (plan.merge_small > 0) {
    DPFERMI_ASSIGN(opening.merged, released_merging(data, plan, counts));
    opening.regrouped = with_merged_groups(data, opening.merged);
  }
  DPFERMI_ASSIGN(opening.marginals,
                 release_marginals(opening.regrouped ? *opening.regrouped : data, plan, counts));
  return {};
}

}  // namespace

Result<FermiOpening> open_fermi(const Dataset& data, const TrainingPlan& plan, StepLedger& ledger,
                                NoiseSource& noise, const TrainingHooks& hooks) {
  FermiOpening opening;
  DPFERMI_ASSIGN(opening.releases, priced_releases(plan));
  if (opening.releases.cost.epsilon > plan.certified_epsilon) {
    return usage_error("the plan promises less than it costs; make it with plan_training");
  }
  opening.releases.fixed_seed = noise.reproducibility() == Reproducibility::kReproducible;
  if (hooks.resume != nullptr) {
    opening.charge = hooks.resume->ledger_plan;
    opening.marginals = {hooks.resume->shares, hooks.resume->marginals};
    opening.merged = hooks.resume->merged;
    if (!opening.merged.empty()) opening.regrouped = with_merged_groups(data, opening.merged);
  } else {
    DPFERMI_ASSIGN(opening.charge, ledger.plan(opening.releases));
    DPFERMI_TRY(release_counts(data, plan, ledger, noise, opening));
  }
  mark_known(plan, opening.marginals);
  if (mutant(Mutant::kKnownByGroups))
    opening.marginals.known.front() = ExactForHolder::read(data.s).back() == 0;
  return opening;
}

PrivacyStatement private_statement(const TrainingPlan& plan, const JointPlan& releases) {
  PrivacyStatement statement = statement_of(plan.adjacency, releases);
  if (plan.ideal_noise) statement.assumptions.emplace_back(kIdealNoise);
  if (plan.network_parameters > 0) {
    statement.assumptions.emplace_back(
        "the program that sums up gradients of the network: that what a unit adds is bounded and "
        "depends on that unit alone");
  }
  return statement;
}

Result<std::vector<double>> model_without_fairness(const Dataset& data, const TrainingPlan& plan,
                                                   NoiseSource& noise, const TrainingHooks& hooks) {
  DPFERMI_ASSIGN(std::vector<double> first, starting_parameters(plan, noise, hooks));
  const std::size_t most = start_iterations(plan, data.rows());
  std::size_t done = 0;
  bool goes_on = true;
  const auto watch = [&](std::span<const double> theta) {
    const double share = static_cast<double>(done) / static_cast<double>(most + 1);
    if (goes_on && hooks.progress) {
      goes_on = hooks.progress({0, plan.steps, plan.lambda, theta, share});
    }
    return goes_on;
  };
  Workers workers(hooks.threads, hooks.team);
  workers.stop_when([&] { return !watch(first); });
  Result<ProxyFit> unfair =
      minimise_loss(data, plan.model, first, workers, most, [&](std::span<const double> theta) {
        done = std::min(done + 1, most);
        return watch(theta);
      });
  if (!goes_on) {
    return failed(hooks.resume == nullptr
                      ? "interrupted: nothing was charged, and no model was written"
                      : "interrupted: nothing more was charged, and no model was written");
  }
  // Inputs that are not finite have no minimum.
  return unfair ? std::move(unfair->theta) : std::move(first);
}

}  // namespace dpfermi
