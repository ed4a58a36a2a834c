#pragma once

/// `pf-ld`: private and fair learning by Lagrangian duality (Tran, Fioretto and Van Hentenryck
/// 2021). Every group r of every condition c has the constraint that its mean of h is everybody's,
///
///   |mean_{r|c} h - mean_c h| = 0,   h = F (parity; given y: odds, opportunity)
///                                    h = 1 - F_y (accuracy parity),
///
/// and a multiplier lambda_{c,r} >= 0 that grows while the constraint is broken:
///
///   primal, every step:  theta <- theta - eta (grad loss + sum lambda sign (grad of the gap))
///   dual, every round:   lambda += rate min(|gap|, 0.25)
///
/// Protects s (adjacency `sensitive`): the loss is public, and terms that touch s are noised.
/// Prediction needs x alone. Softmax regression or a tanh network.
///
/// Where we deviate from the paper and its development code, and why:
///   - the sign of a gap comes from the released gaps; theirs is read exactly, which no noise pays
///     for.
///   - sensitivities do not assume how many members of a group a batch has (theirs: a tenth of the
///     batch, or 2000). A record adds its own gradient over the *released* share of its group; the
///     vector is centred, normalised and clipped, so that its bound holds whatever s is
///     (baselines/functional_problem.h). That is less noise than a clipped mean per group.
///   - group sizes come with the noisy gaps of every round, charged, and are averaged over rounds.
///   - batches are secret Poisson ones, drawn apart from the public ones of the loss, and both
///     releases are composed by the certified accountant.
///   - regression and plain steps instead of an MLP and Adam, step sizes and batches as for our
///     own methods; the mean of the last half of the iterates.
///   - `lambda` is what a multiplier would reach if its gap stayed at 0.25: their step of .007 over
///     100 epochs is lambda = .175.

#include "optimize/baseline.h"

namespace dpfermi {

namespace methods {
extern const MethodDescriptor pf_ld;
}  // namespace methods

struct PfLdOptions : BaselineOptions {
  bool accuracy_parity = false;  ///< h = 1 - F_y for everybody, instead of the notion
  std::uint64_t rounds = 50;     ///< dual updates
  std::uint64_t steps = 1600;    ///< rounded down to a multiple of the rounds
  double gap_share = 0.2;        ///< of the budget, for the gaps (of mu^2, in Gaussian terms)
  double tau = 2;                ///< sharpness of F in h: hard decisions are judged
};

Result<TrainingResult> pf_ld(const Dataset& data, const PfLdOptions& options, StepLedger& ledger,
                             NoiseSource noise, const TrainingHooks& hooks = {});

}  // namespace dpfermi
