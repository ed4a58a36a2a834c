// The rules of docs/defaults.md: from a request and public quantities to every number of a run.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "core/mutant.h"
#include "core/text.h"
#include "dpfermi/sample/poisson_sampler.h"
#include "optimize/baseline.h"
#include "optimize/group_marginals.h"
#include "optimize/planning.h"
#include "optimize/train_at_once.h"
#include "optimize/training_defaults.h"
#include "optimize/training_plan.h"
#include "sketch/sketch_defaults.h"
#include "trees/boosted_trees.h"

namespace dpfermi {
namespace {

Status check_positive(std::optional<double> value, const std::string& field) {
  if (!value || (*value > 0 && std::isfinite(*value))) return {};
  return usage_error("`" + field + "` must be a positive number, not " + shortest(*value));
}

Status check_network(const TrainingRequest& request) {
  if (!request.network_scale) return {};
  if (!request.method->takes_network) {
    return usage_error(
        "networks are trained by dp-fermi, fermi or erm; choose one, or train the last layer");
  }
  if (!request.hidden.empty() || request.theorem_plan) {
    return usage_error(
        "a network has its own layers, which the theorem does not know; leave out `hidden` and "
        "`theorem_plan`");
  }
  if (!(request.network_scale->parameters > 0 && request.network_scale->gradient_square > 0 &&
        std::isfinite(request.network_scale->gradient_square))) {
    return failed("the network's gradients are zero or not finite; train it again");
  }
  return {};
}

Status check_hidden(const TrainingRequest& request) {
  constexpr std::size_t kWidest = 65'536;
  for (const std::size_t width : request.hidden) {
    if (width >= 1 && width <= kWidest) continue;
    return usage_error(fmt::format("`hidden` takes widths from 1 to {}, not {}", kWidest, width));
  }
  return {};
}

Status check_merging(const TrainingRequest& request) {
  if (!request.merge_small) return {};
  if (*request.merge_small < 2) {
    return usage_error("`merge_small` must be at least 2: smaller groups hold one unit or none");
  }
  if (!request.method->merges_groups || request.network_scale ||
      request.notion == FairnessNotion::kNone) {
    return usage_error(
        "`merge_small` is for dp-fermi, sketch and fermi on tables; leave it out, or declare the "
        "groups as you want them compared");
  }
  return {};
}

Status check_boosted(const TrainingRequest& request) {
  if (!request.boosted) return {};
  if (!features_are_public(request.adjacency)) {
    return usage_error(fmt::format(
        "boosted trees are grown on features and labels as they are, which adjacency {} protects; "
        "use adjacency sensitive, or dp-fermi without `boosted`",
        to_string(request.adjacency)));
  }
  if (!request.method->takes_trees) {
    return usage_error(fmt::format(
        "{} cannot train boosted trees; `method` repair makes them fair, erm leaves them as they "
        "are",
        request.method->name));
  }
  if (!request.hidden.empty() || request.network_scale) {
    return usage_error("boosted trees have no layers; leave out `hidden`");
  }
  return {};
}

Status check_weights(const TrainingRequest& request, const Dataset& data) {
  if (data.weights.empty()) return {};
  if (!request.method->takes_weights || request.network_scale) {
    return usage_error(fmt::format("{} takes no weights{}; leave out `weight`",
                                   request.method->name,
                                   request.network_scale ? " for networks on images" : ""));
  }
  if (!features_are_public(request.adjacency)) {
    return usage_error("weights are public, whole records are not; leave out `weight`");
  }
  if (std::ranges::any_of(data.weights, [](float weight) { return weight > 0; })) return {};
  return failed("every row to train on has the weight 0; give one of them another");
}

Status check_request(const TrainingRequest& request, const Dataset& data) {
  DPFERMI_TRY(check_goal(request));
  DPFERMI_TRY(check_weights(request, data));
  if (request.delta && !(*request.delta > 0 && *request.delta < 1)) {
    return usage_error("`delta` must lie above 0 and below 1, not " + shortest(*request.delta));
  }
  const bool unused = !request.method->is_free_line() &&
                      (request.method->plain || request.notion == FairnessNotion::kNone);
  if (request.max_violation && !request.method->takes_target()) {
    return usage_error(fmt::format("{} cannot be steered to a violation; {}", request.method->name,
                                   request.method->takes_lambda() ? "give it a `lambda` instead"
                                                                  : "leave out `max_violation`"));
  }
  if (unused && (request.max_violation || request.lambda.value_or(0) > 0)) {
    return usage_error(
        "without a fairness term `lambda` and `max_violation` mean nothing; leave them out, or "
        "choose "
        "another `method` or `notion`");
  }
  DPFERMI_TRY(check_positive(request.epsilon, "epsilon"));
  if (request.epsilon < 1e-6 || request.epsilon > 1000) {
    return usage_error("`epsilon` must lie between 1e-6 and 1000, not " +
                       shortest(request.epsilon) + "; for no privacy use `method` fermi");
  }
  DPFERMI_TRY(check_positive(request.epochs, "epochs"));
  DPFERMI_TRY(check_positive(request.tau, "tau"));
  DPFERMI_TRY(check_positive(request.clip_norm, "clip_norm"));
  DPFERMI_TRY(check_positive(request.theta_rate, "theta_rate"));
  DPFERMI_TRY(check_positive(request.w_rate, "w_rate"));
  if (request.declared_units.value_or(static_cast<std::uint32_t>(data.unit_count)) < 2) {
    return failed("there are fewer than two rows to train on; bring more");
  }
  if (data.classes < 2) return failed("the target has one class only; nothing can be learnt");
  if (request.notion != FairnessNotion::kNone && !request.method->plain && data.groups < 2) {
    return failed("there are fewer than two groups; declare the values of the protected column");
  }
  DPFERMI_TRY(check_network(request));
  if (!features_are_public(request.adjacency) && !request.network_scale &&
      !(request.declared_norm > 0)) {
    return usage_error("features are protected; declare the bounds of every number");
  }
  if (request.adjacency != Adjacency::kAddRemoveRecord && request.declared_units) {
    return usage_error("`declared_units` is for adjacency add-remove-record; leave it out");
  }
  if (request.adjacency == Adjacency::kAddRemoveRecord && !request.declared_units) {
    return usage_error(
        "under add-remove-record the number of records is protected; declare it with "
        "`declared_units`");
  }
  return {};
}

Status plan_batches(const TrainingRequest& request, TrainingPlan& plan) {
  const auto n = static_cast<double>(plan.units);
  const double usual = request.network_scale ? n / defaults::kNetworkBatches
                                             : defaults::kBatchPerRoot * std::sqrt(n);
  const double batch = request.batch ? static_cast<double>(*request.batch) : std::round(usual);
  plan.batch = static_cast<std::uint32_t>(std::clamp(batch, 1.0, n));
  plan.q = SamplingRate::nearest(plan.batch / n)->value();
  const auto usual_steps =
      static_cast<double>(request.network_scale ? defaults::kNetworkSteps : defaults::kSteps);
  const double steps = request.epochs ? *request.epochs * n / plan.batch : usual_steps;
  if (steps > defaults::kMostSteps) {
    return usage_error("that would be " + shortest(std::round(steps)) +
                       " steps; use fewer `epochs` or a larger `batch`");
  }
  plan.steps = static_cast<std::uint64_t>(std::max(std::round(steps), 1.0));
  return {};
}

void plan_step_sizes(const TrainingRequest& request, double square, TrainingPlan& plan) {
  plan.theta_rate = request.theta_rate.value_or(4 * defaults::kRate / square);
  plan.rate_per_lambda = request.theta_rate ? 0 : defaults::kPenaltyRate * plan.tau;
  // psi is 2 lambda-smooth in W.
  plan.w_rate = request.w_rate.value_or(1 / (2 * std::max(plan.lambda, 1.0)));
  const double widest = plan.model.hidden.empty()
                            ? 0
                            : static_cast<double>(*std::ranges::max_element(plan.model.hidden)) + 1;
  const double norm = std::sqrt(std::max(square, widest));
  const bool whole = !features_are_public(plan.adjacency);
  plan.clip_norm = request.clip_norm.value_or(whole ? defaults::kRecordClip * norm
                                                    : defaults::kClip * plan.tau * norm);
  plan.table_weight = defaults::kTableWeight;
  plan.smoothing = std::min(1.0, defaults::kSmoothing / static_cast<double>(plan.steps));
}

}  // namespace

double mean_square(const TrainingRequest& request, const Dataset& data) {
  if (request.network_scale) return request.network_scale->gradient_square;
  if (!features_are_public(request.adjacency)) {
    return request.declared_norm * request.declared_norm;
  }
  return 1 + data.x.mean_square();
}

Status check_goal(const TrainingRequest& request) {
  DPFERMI_TRY(check_boosted(request));
  if (request.lambda && !(*request.lambda >= 0 && std::isfinite(*request.lambda))) {
    return usage_error("`lambda` must be a number >= 0, not " + shortest(*request.lambda));
  }
  if (request.lambda && request.max_violation) {
    return usage_error("`lambda` and `max_violation` exclude each other; give one of them");
  }
  if (request.max_violation && !(*request.max_violation > 0 && *request.max_violation < 1)) {
    return usage_error("`max_violation` must lie between 0 and 1, not " +
                       shortest(*request.max_violation));
  }
  return {};
}

void set_goal(const TrainingRequest& request, TrainingPlan& plan) {
  if (plan.notion == FairnessNotion::kNone) return;
  plan.lambda = request.lambda.value_or(1);
  if (!request.lambda && request.method->takes_target()) {
    plan.max_violation = request.max_violation.value_or(defaults::kMaxViolation);
  }
}

Result<TrainingPlan> plan_exact(const TrainingRequest& request, const Dataset& data,
                                TrainingPlan plan) {
  plan.delta = 0;
  if (plan.model.boosted) {
    plan.batch = plan.units;
    plan.q = 1;
    plan.steps = kMostTreeRounds;
    return plan;
  }
  const bool by_steps = request.epochs || request.batch || request.theta_rate || request.w_rate ||
                        request.dual || request.iterate || request.theorem_plan;
  plan.at_once = !by_steps && plan.model.hidden.empty() && plan.network_parameters == 0 &&
                 data.rows() <= defaults::kMostRowsAtOnce;
  if (!plan.at_once) return plan;
  plan.batch = plan.units;
  plan.q = 1;
  plan.iterate = IterateRule::kLast;
  if (plan.max_violation) plan.tau = request.tau.value_or(*std::rbegin(defaults::kProxyTaus));
  plan.steps = most_iterations(plan);
  return plan;
}

FairnessSetting fairness_setting(const TrainingPlan& plan) {
  return {plan.notion, plan.groups, plan.model.classes, plan.favourable};
}

namespace {

/// The same as Visibility::rate_noise where no query is asked and the steps are watched: decisions
/// take half the square of the tables' share of a step, and are smoothed (objective/joint_table.h).
double watched_noise(const TrainingPlan& plan) {
  const double spread =
      features_are_public(plan.adjacency) ? std::sqrt(1 - 1 / static_cast<double>(plan.groups)) : 1;
  const double length = spread * std::sqrt(1 - 1 / static_cast<double>(plan.model.classes));
  const double rate = std::min(1.0, plan.smoothing * defaults::kDecisionSmoothing);
  const double step = plan.noise_multiplier * std::numbers::sqrt2 * length / plan.table_weight;
  const double entry = plan.model.classes == 2 ? 1 / std::numbers::sqrt2 : 1;
  return entry * step * std::sqrt(rate / (2 - rate)) / plan.q;
}

}  // namespace

std::optional<Visibility> visibility(const TrainingPlan& plan) {
  const double spread = std::sqrt(1 - 1 / static_cast<double>(plan.groups));
  double counts = plan.counts_sigma;
  double query = plan.query_noise;
  if (plan.sketch()) {
    const FeatureMapSpec& features = plan.sketch()->features;
    counts = plan.sketch()->noise_multiplier * std::hypot(features.clip_norm, features.kappa) /
             features.kappa * spread;
    query = plan.sketch()->round_noise_multiplier;
  }
  const double share = 1 / static_cast<double>(plan.model.classes);
  const double scale = plan.model.classes == 2 ? 0.5 : std::sqrt(1 - share);
  if (query == 0) {
    if (counts == 0 || !plan.max_violation || plan.notion == FairnessNotion::kNone) {
      return std::nullopt;
    }
    return Visibility{defaults::kKnown * counts, watched_noise(plan)};
  }
  return Visibility{defaults::kKnown * counts, scale * std::hypot(query * spread, counts)};
}

bool reads_groups_exactly(const TrainingPlan& plan) {
  const MethodDescriptor& method = plan.method.descriptor();
  return !method.is_private() && !method.plain && plan.notion != FairnessNotion::kNone;
}

bool reads_exactly(const TrainingPlan& plan) {
  if (plan.baseline() != nullptr) return !plan.method->is_private();
  if (plan.paper() != nullptr) return plan.lambda > 0 || !features_are_public(plan.adjacency);
  if (plan.noise_multiplier > 0) return false;
  return reads_groups_exactly(plan) || !features_are_public(plan.adjacency);
}

bool reads_protected(const TrainingPlan& plan) {
  return plan.noise_multiplier > 0 || plan.baseline() != nullptr || reads_exactly(plan);
}

bool is_charged_by_steps(const TrainingPlan& plan) {
  if (plan.paper() != nullptr) return plan.lambda > 0;
  return plan.noise_multiplier > 0 && plan.sketch() == nullptr;
}

Result<TrainingPlan> plan_training(const TrainingRequest& request, const Dataset& data,
                                   std::size_t favourable) {
  DPFERMI_TRY(check_hidden(request));
  DPFERMI_TRY(check_merging(request));
  if (request.method->is_baseline()) {
    DPFERMI_TRY(check_boosted(request));
    DPFERMI_TRY(check_weights(request, data));
    return plan_baseline(request, data, favourable);
  }
  DPFERMI_ASSIGN(TrainingPlan plan, plan_steps(request, data, favourable));
  return request.method->plan(request, data, std::move(plan));
}

Result<TrainingPlan> plan_steps(const TrainingRequest& request, const Dataset& data,
                                std::size_t favourable) {
  DPFERMI_TRY(check_request(request, data));
  TrainingPlan plan;
  plan.method = request.method;
  plan.notion = request.method->plain ? FairnessNotion::kNone : request.notion;
  plan.adjacency = request.adjacency;
  plan.model = {data.x.columns(), data.classes, request.hidden, request.boosted};
  plan.favourable = favourable;
  plan.groups = std::max<std::size_t>(data.groups, 1);
  if (mutant(Mutant::kShapeFromGroups))
    plan.groups = 1U + *std::ranges::max_element(ExactForHolder::read(data.s));
  plan.units = request.declared_units.value_or(static_cast<std::uint32_t>(data.unit_count));
  set_goal(request, plan);
  if (request.network_scale) plan.network_parameters = request.network_scale->parameters;
  plan.tau = request.tau.value_or(request.network_scale ? defaults::kNetworkTau : defaults::kTau);
  plan.dual = request.dual.value_or(DualRule::kBestResponse);
  plan.iterate = request.iterate.value_or(IterateRule::kAverage);
  plan.spare_steps = request.spare_steps;
  plan.mixtures = request.mixtures;
  plan.merge_small = request.merge_small.value_or(0);
  const auto n = static_cast<double>(plan.units);
  plan.delta = request.delta.value_or(1 / (n * n));
  const double square = mean_square(request, data);
  DPFERMI_TRY(plan_batches(request, plan));
  plan_step_sizes(request, square, plan);
  if (request.theorem_plan) apply_theorem(request, square, plan);
  return plan;
}

}  // namespace dpfermi
