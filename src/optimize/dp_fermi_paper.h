#pragma once

/// Algorithm 1 of the DP-FERMI paper and the noise of its privacy theorem, to the letter
/// (docs/paper-method.md says what had to be decided). The theorem's epsilon is a claim, kept
/// beside the one that the accountant certifies for the noisy steps:
///
///   1. Compute P_S^{-1/2}, exactly. The paper treats P_S and rho as if they were public. They are
///      protected, so that they are charged as an exact release, before anything is read: the run
///      promises nothing, and what is certified for its steps is stated as what would hold if they
///      were public. What follows from them (bounds, noise, that price) is settled then; the plan
///      before holds none of it.
///   2. For t = 1 ... T: draw B_t; both gradients from it (optimize/paper_problem.h), both noises.
///   3. The last iterate, which the paper recommends, or a uniformly random one, which it analyses.
///
/// Both noises are one Gaussian release on a vector of two segments, (theta, W). Because public
/// terms share its batch, who is in can be seen and the pair of docs/proofs/revealed-pair.md is
/// charged. With lambda = 0 nothing that reads s is left and nothing is released.
///
/// Under replace-record ("all features") the theorem's larger noise is run and its claim is
/// reported, but nothing is certified: noise lambda u_t is added to a loss gradient that nothing
/// bounds, and with lambda = 0 none at all.

#include "dpfermi/privacy/ledger.h"
#include "optimize/training.h"

namespace dpfermi {

/// Completes `plan`, which holds what all methods share (data, model, lambda, delta). What the
/// request leaves open is as in the paper's experiments: batches of 1024, 200 epochs, step sizes
/// of 0.01; D = sqrt(2 l), sqrt(2) times the norm of W at complete fairness; and L from the largest
/// |[x, 1]|, so that nothing is ever clipped (with hidden layers: from their width, and longer
/// gradients are clipped). Reads no group: bounds and noise are open. Refused where the theorem's
/// assumptions fail.
Result<TrainingPlan> plan_paper(const TrainingRequest& request, const Dataset& data,
                                TrainingPlan plan);

/// Such a plan with what follows from the shares of groups. Requires lambda > 0.
Result<TrainingPlan> settle_paper(TrainingPlan plan, const GroupMarginals& marginals);

/// The inverse; other plans as they are.
TrainingPlan unsettled_paper(TrainingPlan plan);

/// The noisy releases of a settled plan, not yet priced.
Result<JointPlan> paper_steps(const TrainingPlan& plan);

/// Noise multiplier and segments that give the paper's noise.
struct PaperNoiseSplit {
  double noise_multiplier;  ///< z
  double theta_weight, w_weight;
  double theta_bound, w_bound;  ///< as given, or raised where a weight would be too small
};

/// Ensures: z bound / share is m sigma_theta on the theta segment and m sigma_w / lambda on the W
/// segment, so that means carry lambda sigma_theta and sigma_w once lambda has multiplied them.
/// Why: with shares a, b, a/z = theta_bound / (m sigma_theta), b/z = lambda w_bound / (m sigma_w)
/// and a^2 + b^2 = 1. Raising a bound raises its share with it: the noise stays, z falls a little.
/// Requires lambda > 0.
PaperNoiseSplit split_paper_noise(const PaperNumbers& numbers, double lambda, double batch);

/// Requires: a plan of plan_paper for this data, settled or not. The result holds the settled one.
Result<TrainingResult> dp_fermi_paper(const Dataset& data, const TrainingPlan& plan,
                                      StepLedger& ledger, NoiseSource noise,
                                      const TrainingHooks& hooks);

}  // namespace dpfermi
