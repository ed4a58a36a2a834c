#include <algorithm>
#include <cmath>

#include "optimize/planning.h"

namespace dpfermi {

void apply_theorem(const TrainingRequest& request, double square, TrainingPlan& plan) {
  constexpr double kLeastProbability = 0.05;
  const auto k = static_cast<double>(plan.groups);
  const auto l = static_cast<double>(plan.model.classes);
  const double rho = 1 / (2 * k);  // public stand-in for the least share of a group
  const double radius = std::sqrt(k);
  const double lambda = std::max(plan.lambda, 1e-6);
  const double slope = plan.tau * std::sqrt(square) / 4;   // of F in theta
  const double curve = plan.tau * plan.tau * square / 10;  // of its gradient
  const double pull = radius * radius + 2 * radius / std::sqrt(rho);
  const double beta_theta = square / 4 + lambda * curve * pull;
  const double beta_cross = lambda * slope * (2 * radius + 2 / std::sqrt(rho));
  const double beta_w = 2 * lambda;
  const double modulus = 2 * lambda * kLeastProbability;
  const double kappa_w = beta_w / modulus;
  const double inner = beta_theta + beta_cross * beta_cross / modulus;
  const double gap = std::log(l);  // loss at theta = 0 is ln l, and Phi >= 0
  const double lipschitz_theta = lambda * slope * pull;
  const double lipschitz_w = lambda * (2 * radius + 2 / std::sqrt(rho));
  const auto d_theta = static_cast<double>(plan.model.parameter_count());
  const double reach = std::min(1 / (lipschitz_theta * std::sqrt(d_theta)),
                                beta_w / (beta_cross * lipschitz_w * std::sqrt(kappa_w * k * l)));
  const double steps =
      std::sqrt(kappa_w * (gap * inner + beta_cross * beta_cross * radius * radius)) *
      request.epsilon * plan.units * reach;
  plan.theta_rate = request.theta_rate.value_or(1 / (16 * kappa_w * inner));
  plan.rate_per_lambda = 0;
  plan.w_rate = request.w_rate.value_or(1 / beta_w);
  plan.dual = request.dual.value_or(DualRule::kAscent);
  plan.iterate = request.iterate.value_or(IterateRule::kRandom);
  if (!request.epochs) {
    plan.steps = static_cast<std::uint64_t>(std::clamp(std::ceil(steps), 1.0, 1e7));
  }
  plan.smoothing = 1;
}

}  // namespace dpfermi
