#include "sketch/sketch.h"

#include <cmath>
#include <string>

#include "core/text.h"
#include "dpfermi/privacy/accountant/calibrate.h"
#include "dpfermi/privacy/accountant/price.h"
#include "privacy/mechanism/counts_privatizer.h"
#include "random/rounded_gaussian.h"

namespace dpfermi {
namespace {

Status check_request(const SketchRequest& request, const Dataset& data) {
  if (!features_are_public(request.adjacency)) {
    return usage_error("a sketch takes the features for public, which adjacency " +
                       std::string(to_string(request.adjacency)) +
                       " does not; use `adjacency` sensitive");
  }
  DPFERMI_TRY(check_sketch_notion(request.notion));
  if (!(request.epsilon >= 1e-6 && request.epsilon <= 1000)) {
    return usage_error("`epsilon` must lie between 1e-6 and 1000, not " +
                       shortest(request.epsilon));
  }
  if (request.delta && !(*request.delta > 0 && *request.delta < 1)) {
    return usage_error("`delta` must lie above 0 and below 1, not " + shortest(*request.delta));
  }
  if (!(request.round_share > 0 && request.round_share < 1)) {
    return usage_error("the share of residual queries must lie between 0 and 1, not " +
                       shortest(request.round_share));
  }
  if (data.unit_count < 2) return failed("there are fewer than two rows; bring more");
  if (data.groups < 2) {
    return failed("there are fewer than two groups; declare the values of the protected column");
  }
  return {};
}

/// Noise z for the sketch and, with residual queries, more for each of them: the squares of 1/z add
/// up to `share` and to 1 - `share` of the whole.
void set_noise(double z, double share, SketchPlan& plan) {
  const double rest = plan.rounds == 0 ? 0 : share;
  plan.noise_multiplier = z / std::sqrt(1 - rest);
  plan.round_noise_multiplier =
      plan.rounds == 0 ? 0 : z * std::sqrt(static_cast<double>(plan.rounds) / rest);
}

Result<JointPlan> unpriced(const SketchPlan& plan) {
  DPFERMI_ASSIGN(const PrivacyEvent sketch,
                 group_sums_event(plan.adjacency, plan.units, plan.noise_multiplier));
  JointPlan releases{"fairness sketch", {{"fairness sketch", sketch, 1, 0}}};
  if (plan.rounds > 0) {
    DPFERMI_ASSIGN(const PrivacyEvent round,
                   group_sums_event(plan.adjacency, plan.units, plan.round_noise_multiplier));
    releases.parts.push_back({"residual queries", round, plan.rounds, 0});
  }
  if (plan.counts_sigma > 0) {
    DPFERMI_ASSIGN(const PrivacyEvent counts, counts_event(plan.adjacency, plan.counts_sigma));
    releases.parts.push_back({"group counts", counts, 1, 0});
  }
  return releases;
}

}  // namespace

std::string sketch_notion_choices() {
  std::vector<std::string> choices;
  for (const FairnessNotion notion : fairness_notions()) {
    const FairnessSetting setting{.notion = notion};
    const bool finest = setting.refines({.notion = FairnessNotion::kEqualizedOdds});
    choices.push_back(std::string(notion.descriptor().brief) + " (" + notion_title(notion) +
                      (finest ? "; serves every notion)" : ")"));
  }
  return listed(choices, " or ");
}

Status check_sketch_notion(FairnessNotion notion) {
  if (notion != FairnessNotion::kNone) return {};
  return usage_error("a sketch is about fairness; choose `notion` " +
                     listed(brief_notions(), " or "));
}

Result<SketchPlan> plan_sketch(const SketchRequest& request, const Dataset& data,
                               std::size_t favourable, const SketchFeatures& features,
                               double counts_sigma) {
  DPFERMI_TRY(check_request(request, data));
  SketchPlan plan;
  plan.counts_sigma = counts_sigma;
  plan.setting = {request.notion, data.groups, data.classes, favourable};
  plan.adjacency = request.adjacency;
  plan.features = features.spec();
  plan.size = features.size();
  plan.units = static_cast<std::uint32_t>(data.unit_count);
  plan.rounds = request.rounds;
  const auto n = static_cast<double>(plan.units);
  plan.delta = request.delta.value_or(1 / (n * n));
  const EventFamily family = [&](double z) -> Result<PrivacyEvent> {
    SketchPlan candidate = plan;
    set_noise(z, request.round_share, candidate);
    DPFERMI_ASSIGN(const JointPlan releases, unpriced(candidate));
    return whole_event(releases.parts);
  };
  // What is set aside for the sampler's precision makes the price a little higher than calibrated.
  for (double target = request.epsilon; target > 0.9 * request.epsilon; target *= 0.999) {
    DPFERMI_ASSIGN(const Calibrated noise, calibrate_noise(family, target, plan.delta));
    set_noise(noise.value, request.round_share, plan);
    DPFERMI_ASSIGN(const JointPlan releases, sketch_releases(plan));
    plan.epsilon = releases.cost.epsilon;
    if (plan.epsilon <= request.epsilon) return plan;
  }
  return failed("the budget of epsilon " + shortest(request.epsilon) +
                " cannot be met; use a larger epsilon or delta");
}

Result<JointPlan> sketch_releases(const SketchPlan& plan) {
  DPFERMI_ASSIGN(JointPlan releases, unpriced(plan));
  const std::size_t cells = plan.setting.conditions() * plan.setting.groups;
  const auto entries =
      static_cast<double>(cells * (plan.size + plan.rounds * plan.setting.classes));
  return priced_plan(std::move(releases), plan.delta, entries * RoundedGaussian::kTotalVariation);
}

PublicVectors vectors_of(const SketchFeatures& features) {
  return {features.size(), features.bound(),
          [&features](std::uint32_t row, std::span<double> out) { features.write(row, out); }};
}

Result<GroupSums> release_sketch(const Dataset& data, const SketchFeatures& features,
                                 const SketchPlan& plan, StepLedger& ledger, std::uint64_t charge,
                                 NoiseSource& noise) {
  const PublicVectors vectors = vectors_of(features);
  DPFERMI_ASSIGN(ReleasePermit permit, ledger.claim(charge, kSketchPart, 0, 1));
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kSketchNoise));
  DPFERMI_ASSIGN(ContributionLayout layout,
                 group_sums_layout(plan.setting, vectors, plan.noise_multiplier));
  DPFERMI_ASSIGN(Privatizer privatizer,
                 Privatizer::create(std::move(layout), plan.adjacency, plan.noise_multiplier,
                                    std::move(permit), std::move(lane)));
  return release_group_sums(data, plan.setting, vectors, privatizer);
}

Result<Sketch> make_sketch(const Dataset& data, const SketchFeatures& features,
                           const SketchPlan& plan, StepLedger& ledger, NoiseSource noise) {
  if (plan.rounds > 0 || plan.counts_sigma > 0) {
    return usage_error(
        "a sketch on its own has neither residual queries nor counts; plan it without");
  }
  DPFERMI_ASSIGN(JointPlan releases, sketch_releases(plan));
  if (releases.cost.epsilon > plan.epsilon) {
    return usage_error("the plan promises less than it costs; make it with plan_sketch");
  }
  releases.fixed_seed = noise.reproducibility() == Reproducibility::kReproducible;
  DPFERMI_ASSIGN(const std::uint64_t charge, ledger.plan(releases));
  Sketch sketch{
      plan.setting, plan.features, {}, plan.units, statement_of(plan.adjacency, releases)};
  DPFERMI_ASSIGN(sketch.sums, release_sketch(data, features, plan, ledger, charge, noise));
  return sketch;
}

Status check_notion(const FairnessSetting& sketch, FairnessNotion wanted, std::size_t favourable) {
  DPFERMI_TRY(check_sketch_notion(wanted));
  if (sketch.refines({wanted, sketch.groups, sketch.classes, favourable})) return {};
  return usage_error("the sketch was made for " + std::string(to_string(sketch.notion)) +
                     " and does not tell enough for " + std::string(to_string(wanted)) +
                     "; make one with `notion` eo, which serves every notion");
}

}  // namespace dpfermi
