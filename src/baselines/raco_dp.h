#pragma once

/// `raco-dp`: rate-constrained learning with record privacy (RaCO-DP, ICLR 2026). For every
/// condition c, group r and class j a one-sided constraint
///
///   Gamma_crj = mean_{r|c} F_j - mean_{not r|c} F_j <= gamma
///
/// with a multiplier lambda_crj >= 0. A step, on one secret Poisson batch:
///   1. a noisy histogram H_crj = sum F_j 1[c, r];
///   2. the gradient of loss + sum lambda Gamma, clipped per record, summed and noised;
///   3. lambda <- max(0, lambda + eta (clip(Gamma(H), 0, 1) - gamma)).
///
/// Protects whole records (replace-record). Prediction needs x alone. Softmax regression or a tanh
/// network; gamma follows from `tolerance`.
///
/// Where we deviate from the public code, and why:
///   - every cell of the histogram has its own noise. There the odds histograms share one noise
///     tensor along an axis, so that differences between groups come out without any.
///   - batches are Poisson ones as accounted, of whatever size: no rows pad them, and sums are
///     divided by the expected size. There padding rows are counted like people.
///   - group sizes N are released once, noisy and charged; there they are exact and free.
///   - histogram and gradient of a step are one Gaussian release with one price, instead of a
///     Laplace and a Gaussian one: the gradient uses the multipliers from before the step, so the
///     two can leave together.
///   - the number of steps is fixed and the noise follows from epsilon, by the certified
///     accountant; there 1000 steps at a fixed noise are never accounted for
///     (docs/baselines.md has their price).
///   - step size and clip norm are those of our own methods; the mean of the last half of the
///     iterates is kept.

#include "optimize/baseline.h"

namespace dpfermi {

namespace methods {
extern const MethodDescriptor raco_dp;
}  // namespace methods

struct RacoOptions : BaselineOptions {
  std::uint64_t steps = 1000;
  std::uint32_t batch = 4096;     ///< expected; at most n
  double dual_rate = 0.15;        ///< eta
  double tau = 2;                 ///< sharpness of F in the constraints
  double histogram_weight = 0.3;  ///< share of a step's norm
  double counts_share = 0.05;     ///< of the budget, for N (of mu^2, in Gaussian terms)
};

Result<TrainingResult> raco_dp(const Dataset& data, const RacoOptions& options, StepLedger& ledger,
                               NoiseSource noise, const TrainingHooks& hooks = {});

}  // namespace dpfermi
