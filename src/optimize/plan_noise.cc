// What a run of dp_fermi releases, what that costs, and how much noise a budget needs.

#include <cmath>
#include <numbers>

#include "core/text.h"
#include "dpfermi/privacy/accountant/calibrate.h"
#include "dpfermi/privacy/accountant/price.h"
#include "dpfermi/privacy/mechanism/contribution.h"
#include "dpfermi/privacy/mechanism/privatizer.h"
#include "optimize/planning.h"
#include "optimize/training_defaults.h"
#include "privacy/accountant/gdp_accountant.h"
#include "privacy/mechanism/counts_privatizer.h"
#include "random/rounded_gaussian.h"
#include "sketch/group_sums.h"

namespace dpfermi {
namespace {

/// The counts that psi divides by and, before them, those that decide which groups are merged.
std::uint64_t counts_releases(const TrainingPlan& plan) {
  return plan.merge_small > 0 ? 2 : 1;
}

}  // namespace

double counts_noise(Adjacency adjacency, double epsilon, double delta, std::uint64_t releases) {
  const double distance = adjacency == Adjacency::kAddRemoveRecord ? 1 : std::sqrt(2.0);
  return distance * std::sqrt(static_cast<double>(releases) / defaults::kCountsShare) /
         gdp_mu_for(epsilon, delta);
}

Result<JointPlan> fermi_releases(const TrainingPlan& plan) {
  DPFERMI_ASSIGN(const PrivacyEvent counts, counts_event(plan.adjacency, plan.counts_sigma));
  const Sampling sampling{SamplingKind::kPoisson, plan.q, plan.q * plan.units};
  DPFERMI_ASSIGN(const PrivacyEvent step,
                 gaussian_event(plan.adjacency, sampling, plan.noise_multiplier));
  JointPlan releases{
      plan.ideal_noise ? "training, its noise taken for exactly Gaussian" : "training",
      {{"group counts", counts, counts_releases(plan), 0},
       {"training steps", step, plan.steps, plan.spare_steps}}};
  if (plan.queries > 0) {
    DPFERMI_ASSIGN(const PrivacyEvent query,
                   group_sums_event(plan.adjacency, plan.units, plan.query_noise));
    releases.parts.push_back({"decision rates", query, plan.queries, 0});
  }
  return releases;
}

Result<JointPlan> priced_releases(const TrainingPlan& plan) {
  DPFERMI_ASSIGN(JointPlan releases, fermi_releases(plan));
  // At most two tables, of conditions x groups x classes.
  const std::size_t tables = 2 * fairness_setting(plan).w_size();
  const auto entries = static_cast<double>(plan.parameter_count() + tables);
  const auto steps = static_cast<double>(plan.steps + plan.spare_steps);
  const auto answers = static_cast<double>(plan.queries * fairness_setting(plan).w_size());
  const double precision = plan.ideal_noise ? 0 : RoundedGaussian::kTotalVariation;
  return priced_plan(std::move(releases), plan.delta, (steps * entries + answers) * precision);
}

Status plan_noise(const TrainingRequest& request, TrainingPlan& plan) {
  const double mu = gdp_mu_for(request.epsilon, plan.delta);
  plan.counts_sigma =
      counts_noise(plan.adjacency, request.epsilon, plan.delta, counts_releases(plan));
  if (plan.queries > 0) {
    const double share = request.residual_share.value_or(
        plan.max_violation ? defaults::kTargetQueryShare : defaults::kLineQueryShare);
    if (!(share > 0 && share < 0.95)) {
      return usage_error("`residual_share` must lie between 0 and 0.95, not " + shortest(share));
    }
    const auto count = static_cast<double>(plan.queries);
    plan.query_noise = std::numbers::sqrt2 * std::sqrt(count / share) / mu;
  }
  const auto releases = [&](double z) {
    TrainingPlan candidate = plan;
    candidate.noise_multiplier = z;
    return fermi_releases(candidate);
  };
  const EventFamily family = [&](double z) -> Result<PrivacyEvent> {
    DPFERMI_ASSIGN(const JointPlan joint, releases(z));
    return whole_event(joint.parts);
  };
  // What is set aside for the sampler's precision makes the price a little higher than calibrated.
  for (double target = request.epsilon; target > 0.9 * request.epsilon; target *= 0.999) {
    DPFERMI_ASSIGN(const Calibrated noise, calibrate_noise(family, target, plan.delta));
    plan.noise_multiplier = noise.value;
    DPFERMI_ASSIGN(const JointPlan joint, priced_releases(plan));
    plan.certified_epsilon = joint.cost.epsilon;
    if (plan.certified_epsilon <= request.epsilon) return {};
  }
  return failed("the budget of epsilon " + shortest(request.epsilon) +
                " cannot be met; use a larger epsilon or delta");
}

Status check_mechanism(const TrainingPlan& plan) {
  if (plan.method != Method::kDpFermi || plan.noise_multiplier == 0) return {};
  const int bits = ContributionLayout::finest_lattice(plan.noise_multiplier);
  const Segment theta{plan.parameter_count(), plan.clip_norm, 1};
  DPFERMI_ASSIGN(const ContributionLayout layout, ContributionLayout::create({theta}, bits));
  return RoundedGaussian::create(std::ldexp(plan.noise_multiplier, layout.lattice_bits()))
      .map([](const RoundedGaussian&) {});
}

}  // namespace dpfermi
