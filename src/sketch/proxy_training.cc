#include "sketch/proxy_training.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "sketch/adam.h"
#include "sketch/minimise.h"
#include "sketch/sketch_defaults.h"

namespace dpfermi {
namespace {

// A search makes this many models at most: while it looks for an interval, and inside it.
constexpr int kWidenings = 8;
constexpr int kHalvings = 5;
/// With several conditions: rounds of weights.
constexpr int kRounds = 14;
/// A model that starts from its neighbour takes this share of the steps.
constexpr std::size_t kWarmShare = 3;

std::size_t stage_steps(const ProxyTraining& options) {
  if (options.steps > 0) return options.steps;
  return usual_steps(options.batches == nullptr ? 1 : options.batches->batches_per_epoch());
}

std::vector<double> stages(const ProxyTraining& options) {
  if (!options.taus.empty()) return options.taus;
  return {std::begin(defaults::kProxyTaus), std::end(defaults::kProxyTaus)};
}

/// For a model that starts from its neighbour.
ProxyTraining warm(ProxyTraining options) {
  options.steps = std::max<std::size_t>(stage_steps(options) / kWarmShare, 1);
  return options;
}

/// The same, at the last sharpness alone.
ProxyTraining close_by(const ProxyTraining& options) {
  ProxyTraining near = warm(options);
  near.taus = {stages(options).back()};
  return near;
}

/// One stage over all rows at once.
Status descend(ProxyObjective& objective, double lambda, double tau, const ProxyTraining& options,
               ProxyFit& fit, Workers* workers) {
  const SmoothFunction function = [&](std::span<const double> at, std::span<double> gradient) {
    return objective.evaluate(at, lambda, tau, gradient, workers);
  };
  DPFERMI_ASSIGN(const Minimum minimum,
                 minimise(function, fit.theta, {stage_steps(options), 1e-5, 1e-6, options.watch}));
  fit.evaluations += minimum.evaluations;
  fit.stopped = minimum.stopped;
  return {};
}

/// One stage by batches.
Status descend_by_batches(ProxyObjective& objective, double lambda, double tau,
                          const ProxyTraining& options, ProxyFit& fit, Workers* workers) {
  const std::size_t steps = stage_steps(options);
  Adam adam(fit.theta.size());
  std::vector<double> gradient(fit.theta.size());
  objective.begin_batches(fit.theta, tau, workers);
  for (std::size_t step = 0; step < steps && !fit.stopped; ++step) {
    DPFERMI_ASSIGN(const std::vector<std::uint32_t> rows, options.batches->next());
    objective.batch_gradient(fit.theta, lambda, tau, rows, gradient, workers);
    const double left = 1 - static_cast<double>(step) / static_cast<double>(steps);
    adam.step(gradient, options.rate * left, fit.theta);
    ++fit.evaluations;
    fit.stopped = options.watch && !options.watch(fit.theta);
  }
  if (!std::ranges::all_of(fit.theta, [](double value) { return std::isfinite(value); })) {
    return failed("the optimiser met numbers that are not finite; use a smaller `theta_rate`");
  }
  return {};
}

/// Mean loss alone, which is public.
double loss(ProxyObjective& objective, const ProxyFit& fit, Workers* workers) {
  std::vector<double> unused(fit.theta.size());
  return objective.evaluate(fit.theta, 0, 1, unused, workers);
}

/// Several conditions have a weight each, which grows while its condition is above the target and
/// falls while it is below: fairness in one condition moves the others, so no common weight does.
Result<ProxyFit> balance_to_target(ProxyObjective& objective, const ProxyFit& free, double target,
                                   const ProxyTraining& options, Workers* workers) {
  constexpr double kStart = 0.5;
  constexpr double kLeast = 0.05;
  constexpr double kMost = 1000;
  constexpr double kAim = 0.95;  // of the target: it is reached, not only approached
  constexpr double kDamping = 0.7;
  constexpr double kLeastGap = 1e-4;
  const std::vector<double> usual = objective.condition_weights();
  std::vector<double> lambdas = usual;
  for (double& value : lambdas) value *= kStart;
  ProxyFit current = free;
  ProxyFit best = free;
  double best_loss = 0;
  for (int round = 0; round < kRounds && !current.stopped; ++round) {
    const double total = std::accumulate(lambdas.begin(), lambdas.end(), 0.0);
    std::vector<double> weights = lambdas;
    for (double& value : weights) value /= total;
    objective.set_condition_weights(std::move(weights));
    DPFERMI_ASSIGN(current, fit_model(objective, current.theta, total,
                                      round == 0 ? options : close_by(options), workers));
    const double own = loss(objective, current, workers);
    const bool reached = current.violation <= target;
    const bool better =
        best.violation <= target ? reached && own < best_loss : current.violation < best.violation;
    if (better) {
      best = current;
      best_loss = own;
    }
    const std::vector<double> violations = objective.violations(current.theta, workers);
    for (std::size_t c = 0; c < lambdas.size(); ++c) {
      const double factor = std::pow(violations[c] / std::max(kAim * target, kLeastGap), kDamping);
      lambdas[c] = std::clamp(lambdas[c] * std::clamp(factor, 0.5, 2.0), kLeast * usual[c], kMost);
    }
  }
  objective.set_condition_weights(usual);
  best.stopped = current.stopped;
  return best;
}

/// One condition: the smallest lambda that reaches the target, between models below and above it.
class LambdaSearch {
 public:
  LambdaSearch(ProxyObjective& objective, double target, const ProxyTraining& options,
               Workers* workers)
      : objective_(&objective), target_(target), options_(&options), workers_(workers) {}

  /// Upwards from the model without a fairness term.
  Result<ProxyFit> from_free(const ProxyFit& free) {
    last_ = free;
    below_ = fairest_ = free;
    for (int i = 0; i < kWidenings && !ends(); ++i) {
      const double lambda = kFirst * std::pow(kStride, i);
      DPFERMI_TRY(fit(lambda, i == 0 ? *options_ : warm(*options_)));
    }
    return inside();
  }

  /// From a model that is about right, upwards or downwards.
  Result<ProxyFit> from_near(const std::vector<double>& theta) {
    last_.theta = theta;
    const ProxyTraining near = warm(*options_);
    DPFERMI_TRY(fit(options_->near, near));
    const double stride = last_.violation <= target_ ? 1 / kNearStride : kNearStride;
    const bool was_reached = last_.violation <= target_;
    for (int i = 1; i < kWidenings && !last_.stopped && (last_.violation <= target_) == was_reached;
         ++i) {
      DPFERMI_TRY(fit(last_.lambda * stride, near));
    }
    return inside();
  }

 private:
  static constexpr double kFirst = 0.05;
  static constexpr double kStride = 4;  // to about 800
  static constexpr double kNearStride = 1.5;
  static constexpr double kCloseEnough = 0.98;

  bool ends() const { return above_.has_value() || last_.stopped; }

  Status fit(double lambda, const ProxyTraining& options) {
    DPFERMI_ASSIGN(last_, fit_model(*objective_, last_.theta, lambda, options, workers_));
    if (last_.violation <= target_) {
      if (!above_ || lambda < above_->lambda) above_ = last_;
    } else {
      if (!below_ || lambda > below_->lambda) below_ = last_;
      if (!fairest_ || last_.violation < fairest_->violation) fairest_ = last_;
    }
    return {};
  }

  /// Halves the interval until a model is hardly fairer than was asked for.
  Result<ProxyFit> inside() {
    for (int i = 0; i < kHalvings && above_ && below_ && !last_.stopped; ++i) {
      if (above_->violation >= kCloseEnough * target_) break;
      const double low = std::max(below_->lambda, kFirst / kStride);
      last_.theta = above_->theta;
      DPFERMI_TRY(fit(std::sqrt(low * above_->lambda), close_by(*options_)));
    }
    ProxyFit found = above_ ? *above_ : *fairest_;
    found.stopped = last_.stopped;
    return found;
  }

  ProxyObjective* objective_;
  double target_;
  const ProxyTraining* options_;
  Workers* workers_;
  ProxyFit last_;
  std::optional<ProxyFit> below_;    ///< of the largest lambda that misses the target
  std::optional<ProxyFit> above_;    ///< of the smallest that reaches it
  std::optional<ProxyFit> fairest_;  ///< of those that miss it
};

}  // namespace

std::size_t usual_steps(std::uint64_t batches_per_epoch) {
  if (batches_per_epoch == 1) return defaults::kProxyIterations;
  return std::max(defaults::kProxyEpochs * batches_per_epoch, defaults::kProxyLeastSteps);
}

std::size_t most_steps(const ProxyTraining& options, bool with_target) {
  const std::size_t first = stage_steps(options);
  const std::size_t all = stages(options).size();
  if (!with_target) return all * first;
  const std::size_t next = warm(options).steps;
  const std::size_t search = kWidenings * all * next + kHalvings * next;
  return (1 + all) * first + std::max(search, kRounds * next);
}

Result<ProxyFit> fit_model(ProxyObjective& objective, std::vector<double> theta, double lambda,
                           const ProxyTraining& options, Workers* workers) {
  const auto stage = options.batches == nullptr ? descend : descend_by_batches;
  ProxyFit fit{std::move(theta), lambda};
  for (const double tau : lambda > 0 ? stages(options) : std::vector<double>{1}) {
    if (fit.stopped) break;
    DPFERMI_TRY(stage(objective, lambda, tau, options, fit, workers));
  }
  fit.violation = objective.violation(fit.theta, workers);
  return fit;
}

Result<ProxyFit> fit_to_target(ProxyObjective& objective, const std::vector<double>& theta,
                               double target, const ProxyTraining& options, Workers* workers) {
  const bool single = objective.condition_weights().size() == 1;
  LambdaSearch search(objective, target, options, workers);
  if (single && options.near > 0) return search.from_near(theta);
  DPFERMI_ASSIGN(const ProxyFit free, fit_model(objective, theta, 0, options, workers));
  if (free.violation <= target || free.stopped) return free;
  if (single) return search.from_free(free);
  return balance_to_target(objective, free, target, options, workers);
}

}  // namespace dpfermi
