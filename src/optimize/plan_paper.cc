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

Result<PaperNumbers> paper_numbers(const TrainingRequest& request, const Dataset& data,
                                   const TrainingPlan& plan) {
  const FairnessSetting setting = fairness_setting(plan);
  const PaperBounds bounds = paper_bounds(setting, exact_marginals(data, setting));
  PaperNumbers numbers;
  numbers.lipschitz = lipschitz(request, data, plan.model);
  numbers.diameter =
      request.w_radius.value_or(std::sqrt(2 * static_cast<double>(plan.model.classes)));
  numbers.rho = bounds.rho;
  numbers.theta_bound = bounds.theta * numbers.lipschitz * numbers.diameter;
  numbers.w_bound = bounds.w;
  numbers.claimed_epsilon = request.epsilon;
  const auto n = static_cast<double>(plan.units);
  const PaperSetting theorem{.adjacency = plan.adjacency,
                             .records = n,
                             .batch = std::min(n, plan.q * n),
                             .steps = plan.steps,
                             .rho = numbers.rho,
                             .lipschitz = numbers.lipschitz,
                             .diameter = numbers.diameter,
                             .labels = static_cast<double>(plan.model.classes)};
  DPFERMI_ASSIGN(const PaperNoise noise, paper_noise(theorem, request.epsilon, plan.delta));
  numbers.sigma_theta = noise.sigma_theta;
  numbers.sigma_w = noise.sigma_w;
  return numbers;
}

/// What the steps alone cost.
Result<double> price_steps(TrainingPlan& plan) {
  DPFERMI_ASSIGN(JointPlan joint, paper_releases(plan));
  joint.parts.erase(joint.parts.begin());
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

Result<JointPlan> paper_releases(const TrainingPlan& plan) {
  JointPlan joint{"training", {}};
  const bool records = !features_are_public(plan.adjacency);
  if (records || plan.noise_multiplier > 0) {
    DPFERMI_ASSIGN(const PrivacyEvent exact, PrivacyEvent::create(plan.adjacency, ExactRelease{}));
    joint.parts.push_back(
        {records ? "group shares and loss gradients as they are" : std::string(kSharesPurpose),
         exact, 1, 0});
  }
  if (plan.noise_multiplier > 0) {
    const Sampling sampling{SamplingKind::kRevealedPoisson, plan.q, plan.q * plan.units};
    DPFERMI_ASSIGN(const PrivacyEvent step,
                   gaussian_event(plan.adjacency, sampling, plan.noise_multiplier));
    joint.parts.push_back({"training steps", step, plan.steps, plan.spare_steps});
  }
  return joint;
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
    DPFERMI_ASSIGN(paper, paper_numbers(request, data, plan));
    plan.clip_norm = paper.theta_bound;
    plan.noise_multiplier =
        split_paper_noise(paper, plan.lambda, plan.q * plan.units).noise_multiplier;
  }
  const bool is_public = features_are_public(plan.adjacency);
  if (is_public && plan.lambda == 0) {
    plan.certified_epsilon = 0;
    plan.delta = 0;
  } else {
    plan.certified_epsilon = std::numeric_limits<double>::infinity();
    if (is_public) {
      DPFERMI_ASSIGN(paper.given_shares, price_steps(plan));
    }
  }
  plan.own = paper;
  return plan;
}

}  // namespace dpfermi
