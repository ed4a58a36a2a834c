#include "dpfermi/sketch/proxy_training.h"

#include <cmath>
#include <utility>

#include "dpfermi/sketch/defaults.h"
#include "dpfermi/sketch/minimise.h"

namespace dpfermi {

Result<ProxyFit> fit_model(ProxyObjective& objective, std::vector<double> theta, double lambda,
                           const ProxyTraining& options, Workers* workers) {
  std::vector<double> taus = options.taus;
  if (taus.empty()) taus.assign(std::begin(defaults::kProxyTaus), std::end(defaults::kProxyTaus));
  ProxyFit fit{std::move(theta), lambda, 0, 0};
  for (const double tau : lambda > 0 ? taus : std::vector<double>{1}) {
    const SmoothFunction function = [&](std::span<const double> at, std::span<double> gradient) {
      return objective.evaluate(at, lambda, tau, gradient, workers);
    };
    DPFERMI_ASSIGN(const Minimum minimum,
                   minimise(function, fit.theta, {options.most_iterations, 1e-5, 1e-6}));
    fit.evaluations += minimum.evaluations;
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
