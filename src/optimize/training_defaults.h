#pragma once

/// Defaults without tuning: every number that a user leaves open follows from public quantities by
/// the rules below, the same for every data set. docs/defaults.md gives the reasons.

#include <cstdint>

namespace dpfermi::defaults {

inline constexpr std::uint64_t kSteps = 1600;  ///< T
inline constexpr double kBatchPerRoot = 6;     ///< m = 6 sqrt(n), at most n
/// Of networks on images, which start where a public one stands: fewer and larger steps, since the
/// noise of a step grows with the root of the number of parameters. m = n / kNetworkBatches.
inline constexpr std::uint64_t kNetworkSteps = 200;
inline constexpr double kNetworkBatches = 8;
inline constexpr double kNetworkTau = 1;       ///< sharpness of F inside psi, of a network
inline constexpr double kTau = 2;              ///< sharpness of F inside psi
inline constexpr double kMaxViolation = 0.05;  ///< where neither a target nor lambda is given
/// `auto` takes a sketch for two groups and classes where epsilon times the number of units is
/// smaller than this.
inline constexpr double kSketchBelow = 100'000;

/// eta_theta = kRate / (L (1 + kPenaltyRate lambda tau)), L = mean |[x, 1]|^2 / 4 the smoothness of
/// the loss.
inline constexpr double kRate = 2;
inline constexpr double kPenaltyRate = 0.05;

/// The noise of all steps together may move an output by about kNoiseWalk: eta_theta is at most
/// kNoiseWalk / (sqrt(T) noise), noise being what one step adds to an output at rate 1.
inline constexpr double kNoiseWalk = 3;

/// C_theta = kClip tau rms |[x, 1]|: a probability changes by at most a quarter of its logit.
inline constexpr double kClip = 0.35;
/// Of the whole gradient, where the record is secret: kRecordClip rms |[x, 1]|.
inline constexpr double kRecordClip = 0.5;

/// Share b of a step's norm that goes to the tables, and the share of the smoothed tables that one
/// step makes up, times T.
inline constexpr double kTableWeight = 0.4;
inline constexpr double kSmoothing = 10;
/// Times as much a step for the table of decisions: steering must not lag behind the model.
inline constexpr double kDecisionSmoothing = 2;

/// Share of the budget (of mu^2, in Gaussian terms) for the group counts.
inline constexpr double kCountsShare = 0.05;

/// Queries of models' decisions after the steps, and their share of the budget (of mu^2): with a
/// target those of the model without fairness, of the trained one, of two more and of the one that
/// is returned; with a fixed lambda the first two and the last.
inline constexpr std::uint64_t kTargetQueries = 5;
inline constexpr double kTargetQueryShare = 0.2;
inline constexpr std::uint64_t kLineQueries = 3;
inline constexpr double kLineQueryShare = 0.05;
/// Over all rows at once: iterations of L-BFGS from far away, and rows beyond which steps on
/// batches are cheaper than passes.
inline constexpr std::size_t kLossIterations = 500;
inline constexpr std::size_t kHiddenIterations = 300;  ///< of models with hidden layers
/// A start with hidden layers goes over no more rows than the training after it, but makes this
/// many passes at least.
inline constexpr std::size_t kLeastPasses = 10;
inline constexpr std::size_t kMostRowsAtOnce = 500000;

/// p_{r|c} is at least this many standard deviations of its noise, and at least kLeastCount units.
inline constexpr double kFloor = 1;
inline constexpr double kLeastCount = 1;
/// A group is taken to be there when its noisy count is above this many standard deviations.
inline constexpr double kKnown = 4;

/// More steps than this are taken for a mistake.
inline constexpr double kMostSteps = 1e7;

}  // namespace dpfermi::defaults
