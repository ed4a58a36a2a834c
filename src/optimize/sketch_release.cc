#include "optimize/sketch_release.h"

#include <cmath>

#include "optimize/planning.h"
#include "optimize/small_groups.h"
#include "sketch/sketch_defaults.h"

namespace dpfermi {

Status plan_release(const TrainingRequest& request, const Dataset& data, TrainingPlan& plan) {
  DPFERMI_TRY(check_sketch_notion(plan.notion));
  DPFERMI_ASSIGN(const SketchFeatures features, SketchFeatures::create(data, request.features));
  SketchRequest sketch;
  sketch.notion = plan.notion;
  sketch.adjacency = plan.adjacency;
  sketch.epsilon = request.epsilon;
  sketch.delta = request.delta;
  sketch.rounds = request.residual_rounds.value_or(defaults::kResidualRounds);
  sketch.round_share = request.residual_share.value_or(defaults::kResidualShare);
  double counts_sigma = 0;
  if (plan.merge_small > 0) {
    counts_sigma = counts_noise(plan.adjacency, request.epsilon, plan.delta, 1);
  }
  DPFERMI_ASSIGN(SketchPlan release,
                 plan_sketch(sketch, data, plan.favourable, features, counts_sigma));
  plan.noise_multiplier = release.noise_multiplier;
  plan.counts_sigma = release.counts_sigma;
  plan.clip_norm = release.features.clip_norm;
  plan.certified_epsilon = release.epsilon;
  plan.delta = release.delta;
  plan.own = std::move(release);
  return {};
}

Result<PaidSketch> release_planned(const Dataset& data, const TrainingPlan& plan,
                                   StepLedger& ledger, NoiseSource& noise) {
  if (!plan.sketch()) return usage_error("the plan has no sketch; make it with plan_training");
  const SketchPlan& sketch = *plan.sketch();
  DPFERMI_ASSIGN(JointPlan releases, sketch_releases(sketch));
  if (releases.cost.epsilon > plan.certified_epsilon) {
    return usage_error("the plan promises less than it costs; make it with plan_training");
  }
  releases.fixed_seed = noise.reproducibility() == Reproducibility::kReproducible;
  DPFERMI_ASSIGN(const std::uint64_t charge, ledger.plan(releases));
  DPFERMI_ASSIGN(SketchFeatures features, SketchFeatures::create(data, sketch.features));
  PaidSketch paid{charge, std::move(features), {}, statement_of(sketch.adjacency, releases)};
  if (plan.merge_small > 0) {
    DPFERMI_ASSIGN(ReleasePermit permit, ledger.claim(charge, counts_part(sketch), 0, 1));
    DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kCountsNoise));
    DPFERMI_ASSIGN(CountsPrivatizer counts,
                   CountsPrivatizer::create(sketch.adjacency, sketch.counts_sigma,
                                            std::move(permit), std::move(lane)));
    DPFERMI_ASSIGN(paid.merged, released_merging(data, plan, counts));
    paid.regrouped = with_merged_groups(data, paid.merged);
  }
  DPFERMI_ASSIGN(paid.sums,
                 release_sketch(paid.grouped(data), paid.features, sketch, ledger, charge, noise));
  return paid;
}

ReleasedCounts released_counts(const FairnessSetting& setting, const SketchFeatures& features,
                               const GroupSums& sums) {
  const auto k = static_cast<double>(sums.groups);
  const double kappa = features.spec().kappa;
  ReleasedCounts released{{},
                          sums.noise * std::sqrt(1 - 1 / k) / kappa,
                          known_groups(features, sums, setting, setting)};
  for (std::size_t c = 0; c < sums.conditions; ++c) {
    for (std::size_t r = 0; r < sums.groups; ++r) {
      released.counts.push_back(sums.of(c, r).back() / kappa);
    }
  }
  return released;
}

Status check_features(const Dataset& data, const Sketch& sketch, const SketchFeatures& features) {
  const FairnessSetting& setting = sketch.setting;
  const GroupSums& sums = sketch.sums;
  const bool shaped = sums.conditions == setting.conditions() && sums.groups == setting.groups &&
                      sums.size == features.size() &&
                      sums.sums.size() == sums.conditions * sums.groups * sums.size;
  if (shaped && features.spec() == sketch.features && features.rows() == data.rows() &&
      setting.classes == data.classes) {
    return {};
  }
  return failed(
      "the sums of the sketch are not those of its features of these data; make the sketch again");
}

}  // namespace dpfermi
