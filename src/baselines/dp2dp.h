#pragma once

/// `dp2dp`: private post-processing for demographic parity between two groups (Say, Denis and Pinot
/// 2025, "Fairness Meets Privacy: Integrating Differential Privacy and Demographic Parity in
/// Multi-class Classification", arXiv 2511.18876, algorithm 1). From class probabilities p_k of a
/// finished model, with s = -1 for the first group and 1 for the second, it decides
///
///   yhat(x, s) = argmax_k  pi_s p_k(x) - s (lambda1_k - lambda2_k),   lambda in [0, C]^(2 K),
///
/// where lambda minimises
///
///   sum_s mean_{x of s} LSE_beta(pi_s p(x) - s (lambda1 - lambda2)) + rho sum_k (lambda1 +
///   lambda2)
///
/// by projected noisy steps of size 1/sqrt(t). The shares pi_s are released once, with noise.
///
/// **Protects** the sensitive attribute (adjacency `sensitive`). **Needs s at prediction.**
///
/// As published: T = 100, batches of 128, beta = 1e-5, the last iterate. C is not stated there: 1,
/// beyond which scores of at most pi_s <= 1 decide nothing.
///
/// Deviations:
///   - there records are protected, and the model is a regression whose probabilities are noised
///     ("output perturbation") on rows of its own. Here x and y are public, as for our methods:
///     the model is trained on them without noise, on all rows, which favours the method.
///   - batches are Poisson samples of all rows, and a row counts 1 / pi_s. There a group is drawn
///     first, then a row of it: rows of a small group are drawn more often than the rate 128 / n
///     that is accounted for, and who is in a group changes how often others are drawn.
///   - the gradients of lambda1 and lambda2 are each other's negatives but for rho: one vector of K
///     numbers is noised, not two.
///   - shares of groups are discrete Gaussian counts, both of them paid for.

#include "optimize/baseline.h"

namespace dpfermi {

namespace methods {
extern const MethodDescriptor dp2dp;
}  // namespace methods

struct Dp2dpOptions : BaselineOptions {
  std::uint64_t steps = 100;
  std::uint32_t batch = 128;   ///< expected; at most n
  double smoothing = 1e-5;     ///< beta
  double largest = 1;          ///< C
  double counts_share = 0.05;  ///< of the budget, for pi (of mu^2, in Gaussian terms)
};

Result<TrainingResult> dp2dp(const Dataset& data, const Dp2dpOptions& options, StepLedger& ledger,
                             NoiseSource noise, const TrainingHooks& hooks = {});

}  // namespace dpfermi
