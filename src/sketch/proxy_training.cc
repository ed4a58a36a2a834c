#include "sketch/proxy_training.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sketch/adam.h"
#include "sketch/minimise.h"
#include "sketch/sketch_defaults.h"

namespace dpfermi {
namespace {

/// One stage over all rows at once; returns how many gradients it took.
Result<std::size_t> descend(ProxyObjective& objective, double lambda, double tau,
                            const ProxyTraining& options, std::vector<double>& theta,
                            Workers* workers) {
  const std::size_t steps = options.steps > 0 ? options.steps : usual_steps(1);
  const SmoothFunction function = [&](std::span<const double> at, std::span<double> gradient) {
    return objective.evaluate(at, lambda, tau, gradient, workers);
  };
  DPFERMI_ASSIGN(const Minimum minimum, minimise(function, theta, {steps, 1e-5, 1e-6}));
  return minimum.evaluations;
}

/// One stage by batches.
Result<std::size_t> descend_by_batches(ProxyObjective& objective, double lambda, double tau,
                                       const ProxyTraining& options, std::vector<double>& theta,
                                       Workers* workers) {
  ShuffleSampler& batches = *options.batches;
  const std::size_t steps =
      options.steps > 0 ? options.steps : usual_steps(batches.batches_per_epoch());
  Adam adam(theta.size());
  std::vector<double> gradient(theta.size());
  objective.begin_batches(theta, tau, workers);
  for (std::size_t step = 0; step < steps; ++step) {
    DPFERMI_ASSIGN(const std::vector<std::uint32_t> rows, batches.next());
    objective.batch_gradient(theta, lambda, tau, rows, gradient, workers);
    const double left = 1 - static_cast<double>(step) / static_cast<double>(steps);
    adam.step(gradient, options.rate * left, theta);
  }
  if (!std::ranges::all_of(theta, [](double value) { return std::isfinite(value); })) {
    return failed("the optimiser met numbers that are not finite; use a smaller `theta_rate`");
  }
  return steps;
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
  constexpr int kRounds = 14;
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
  for (int round = 0; round < kRounds; ++round) {
    const double total = std::accumulate(lambdas.begin(), lambdas.end(), 0.0);
    std::vector<double> weights = lambdas;
    for (double& value : weights) value /= total;
    objective.set_condition_weights(std::move(weights));
    DPFERMI_ASSIGN(current, fit_model(objective, current.theta, total, options, workers));
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
  return best;
}

}  // namespace

std::size_t usual_steps(std::uint64_t batches_per_epoch) {
  if (batches_per_epoch == 1) return defaults::kProxyIterations;
  return std::max(defaults::kProxyEpochs * batches_per_epoch, defaults::kProxyLeastSteps);
}

Result<ProxyFit> fit_model(ProxyObjective& objective, std::vector<double> theta, double lambda,
                           const ProxyTraining& options, Workers* workers) {
  std::vector<double> taus = options.taus;
  if (taus.empty()) taus.assign(std::begin(defaults::kProxyTaus), std::end(defaults::kProxyTaus));
  const auto stage = options.batches == nullptr ? descend : descend_by_batches;
  ProxyFit fit{std::move(theta), lambda, 0, 0};
  for (const double tau : lambda > 0 ? taus : std::vector<double>{1}) {
    DPFERMI_ASSIGN(const std::size_t evaluations,
                   stage(objective, lambda, tau, options, fit.theta, workers));
    fit.evaluations += evaluations;
  }
  fit.violation = objective.violation(fit.theta, workers);
  return fit;
}

Result<ProxyFit> fit_to_target(ProxyObjective& objective, const std::vector<double>& theta,
                               double target, const ProxyTraining& options, Workers* workers) {
  constexpr double kFirst = 0.05;
  constexpr double kMost = 1000;
  constexpr int kHalvings = 7;
  DPFERMI_ASSIGN(ProxyFit below, fit_model(objective, theta, 0, options, workers));
  if (below.violation <= target) return below;
  if (objective.condition_weights().size() > 1) {
    return balance_to_target(objective, below, target, options, workers);
  }
  ProxyFit fairest = below;
  ProxyFit above = below;
  for (double lambda = kFirst; lambda <= kMost; lambda *= 2) {
    DPFERMI_ASSIGN(above, fit_model(objective, below.theta, lambda, options, workers));
    if (above.violation < fairest.violation) fairest = above;
    if (above.violation <= target) break;
    below = above;
  }
  if (above.violation > target) return fairest;
  for (int i = 0; i < kHalvings; ++i) {
    const double low = std::max(below.lambda, kFirst / 2);
    const double middle = std::sqrt(low * above.lambda);
    DPFERMI_ASSIGN(ProxyFit fit, fit_model(objective, above.theta, middle, options, workers));
    std::swap(fit.violation <= target ? above : below, fit);
  }
  return above;
}

}  // namespace dpfermi
