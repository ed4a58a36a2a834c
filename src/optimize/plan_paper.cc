// From a request to the numbers of the paper's theorem, and to what they really cost.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "dpfermi/privacy/accountant/price.h"
#include "dpfermi/privacy/mechanism/batch.h"
#include "dpfermi/sample/poisson_sampler.h"
#include "optimize/dp_fermi_paper.h"
#include "optimize/group_marginals.h"
#include "optimize/paper_problem.h"
#include "privacy/accountant/paper_bound.h"
#include "random/rounded_gaussian.h"

namespace dpfermi {
namespace {

// The paper's experiments on tables (appendix, "Demographic Parity").
constexpr double kBatch = 1024;
constexpr double kEpochs = 200;
constexpr double kRate = 0.01;

Status check_paper_request(const TrainingRequest& request) {
  if (request.notion != FairnessNotion::kNone && !request.method->knows(request.notion)) {
    return usage_error(
        "the paper covers demographic parity and equalized odds; choose one of them, or the "
        "method dp-fermi");
  }
  if (request.tau.value_or(1) != 1) {
    return usage_error("the paper's algorithm has no sharpness; leave `tau` out");
  }
  if (request.dual.value_or(DualRule::kAscent) != DualRule::kAscent) {
    return usage_error("the paper's algorithm ascends in W; leave the rule for W out");
  }
  if (request.adjacency == Adjacency::kAddRemoveRecord) {
    return usage_error(
        "the paper's theorem does not cover add-remove-record; use sensitive or replace-record");
  }
  return {};
}

/// The largest |[x, 1]|.
double largest_norm(const TrainingRequest& request, const Dataset& data) {
  if (!features_are_public(request.adjacency)) return request.declared_norm;
  double largest = 0;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const HybridMatrix::Row row = data.x.row(i);
    double square = 1;
    for (const float number : row.numbers) square += double{number} * number;
    for (const std::uint16_t column : row.ones) square += column < data.x.columns() ? 1 : 0;
    largest = std::max(largest, square);
  }
  return std::sqrt(largest);
}

/// The theorem at the shares whose least is `rho`.
PaperSetting theorem_of(const TrainingPlan& plan, const PaperNumbers& numbers, double rho) {
  const auto n = static_cast<double>(plan.units);
  return {.adjacency = plan.adjacency,
          .records = n,
          .batch = std::min(n, plan.q * n),
          .steps = plan.steps,
          .rho = rho,
          .lipschitz = numbers.lipschitz,
          .diameter = numbers.diameter,
          .labels = static_cast<double>(plan.model.classes)};
}

/// L: how fast F moves with theta. Probabilities move at most sqrt(2)/4 as fast as the one output
/// of two classes, and half as fast as the logits of more.
double lipschitz(const TrainingRequest& request, const Dataset& data, const ModelSpec& model) {
  if (request.clip_norm) return *request.clip_norm;
  const double slope = model.outputs() == 1 ? std::sqrt(2.0) / 4 : 0.5;
  const double norm = model.hidden.empty()
                          ? largest_norm(request, data)
                          : std::sqrt(1 + static_cast<double>(model.hidden.back()));
  return slope * norm;
}

void plan_schedule(const TrainingRequest& request, TrainingPlan& plan) {
  plan.tau = 1;
  plan.dual = DualRule::kAscent;
  plan.smoothing = 1;
  plan.rate_per_lambda = 0;
  plan.rate_cap = std::numeric_limits<double>::infinity();
  plan.iterate =
      request.iterate.value_or(request.theorem_plan ? IterateRule::kRandom : IterateRule::kLast);
  if (request.theorem_plan) return;
  const auto n = static_cast<double>(plan.units);
  const double batch = request.batch ? static_cast<double>(*request.batch) : kBatch;
  plan.batch = static_cast<std::uint32_t>(std::clamp(batch, 1.0, n));
  plan.q = SamplingRate::nearest(plan.batch / n)->value();
  const double per_epoch = std::ceil(n / plan.batch);
  plan.steps = static_cast<std::uint64_t>(
      std::clamp(std::round(request.epochs.value_or(kEpochs) * per_epoch), 1.0, 1e9));
  plan.theta_rate = request.theta_rate.value_or(kRate);
  plan.w_rate = request.w_rate.value_or(kRate);
}

/// What the steps alone cost.
Result<double> price_steps(TrainingPlan& plan) {
  DPFERMI_ASSIGN(JointPlan joint, paper_steps(plan));
  const std::size_t entries = plan.model.parameter_count() + fairness_setting(plan).w_size();
  const double total_variation = static_cast<double>(plan.steps + plan.spare_steps) *
                                 static_cast<double>(entries) * RoundedGaussian::kTotalVariation;
  Result<JointPlan> priced = priced_plan(joint, plan.delta, total_variation);
  if (!priced) {
    // The noise is drawn to a precision that no promise of e^epsilon times a probability can rest
    // on when epsilon is that large.
    priced = priced_plan(joint, plan.delta);
    plan.ideal_noise = true;
  }
  DPFERMI_TRY(priced);
  return priced->cost.epsilon;
}

}  // namespace

PaperNoiseSplit split_paper_noise(const PaperNumbers& numbers, double lambda, double batch) {
  constexpr double kLeastShare = 1e-9;  // a layout's weights may span ten orders of magnitude
  const double theta_noise = batch * numbers.sigma_theta;
  const double w_noise = batch * numbers.sigma_w / lambda;
  double theta = numbers.theta_bound / theta_noise;
  double w = numbers.w_bound / w_noise;
  const double larger = std::max(theta, w);
  theta = std::max(theta, kLeastShare * larger);
  w = std::max(w, kLeastShare * larger);
  return {1 / std::hypot(theta, w), theta / larger, w / larger, theta * theta_noise, w * w_noise};
}

Result<JointPlan> paper_steps(const TrainingPlan& plan) {
  const Sampling sampling{SamplingKind::kRevealedPoisson, plan.q, plan.q * plan.units};
  DPFERMI_ASSIGN(const PrivacyEvent step,
                 gaussian_event(plan.adjacency, sampling, plan.noise_multiplier));
  return JointPlan{"training", {{"training steps", step, plan.steps, plan.spare_steps}}};
}

Result<TrainingPlan> plan_paper(const TrainingRequest& request, const Dataset& data,
                                TrainingPlan plan) {
  DPFERMI_TRY(check_paper_request(request));
  plan_schedule(request, plan);
  plan.noise_multiplier = 0;
  plan.counts_sigma = 0;
  plan.table_weight = 0;
  PaperNumbers paper{.claimed_epsilon = request.epsilon};
  if (plan.lambda > 0) {
    paper.lipschitz = lipschitz(request, data, plan.model);
    paper.diameter =
        request.w_radius.value_or(std::sqrt(2 * static_cast<double>(plan.model.classes)));
    // The theorem's assumptions are about everything but the shares.
    DPFERMI_TRY(paper_noise(theorem_of(plan, paper, 1), request.epsilon, plan.delta));
  }
  if (features_are_public(plan.adjacency) && plan.lambda == 0) {
    plan.certified_epsilon = 0;
    plan.delta = 0;
  } else {
    plan.certified_epsilon = std::numeric_limits<double>::infinity();
  }
  plan.own = paper;
  return unsettled_paper(std::move(plan));
}

Result<TrainingPlan> settle_paper(TrainingPlan plan, const GroupMarginals& marginals) {
  PaperNumbers paper = *plan.paper();
  const PaperBounds bounds = paper_bounds(fairness_setting(plan), marginals);
  paper.rho = bounds.rho;
  paper.theta_bound = bounds.theta * paper.lipschitz * paper.diameter;
  paper.w_bound = bounds.w;
  DPFERMI_ASSIGN(const PaperNoise noise, paper_noise(theorem_of(plan, paper, bounds.rho),
                                                     paper.claimed_epsilon, plan.delta));
  paper.sigma_theta = noise.sigma_theta;
  paper.sigma_w = noise.sigma_w;
  plan.clip_norm = paper.theta_bound;
  plan.noise_multiplier =
      split_paper_noise(paper, plan.lambda, plan.q * plan.units).noise_multiplier;
  if (features_are_public(plan.adjacency)) {
    DPFERMI_ASSIGN(paper.given_shares, price_steps(plan));
  }
  plan.own = paper;
  return plan;
}

TrainingPlan unsettled_paper(TrainingPlan plan) {
  if (plan.paper() == nullptr || plan.lambda == 0) return plan;
  const PaperNumbers& all = *plan.paper();
  plan.own = PaperNumbers{
      .lipschitz = all.lipschitz, .diameter = all.diameter, .claimed_epsilon = all.claimed_epsilon};
  plan.clip_norm = 0;
  plan.noise_multiplier = 0;
  plan.ideal_noise = false;
  return plan;
}

}  // namespace dpfermi
