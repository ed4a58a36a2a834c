#pragma once

/// What the sketch leaves open, the same for every data set; docs/defaults.md gives the reasons.

#include <cstddef>
#include <cstdint>

namespace dpfermi::defaults {

/// gamma of the maximum-entropy fit, in standard deviations of the noise on the difference of two
/// groups.
inline constexpr double kProxyRegularisation = 1;
/// Instead of the noise's standard deviation where the sums of groups are exact: a ridge that
/// keeps directions which a handful of rows decide near zero.
inline constexpr double kExactRidge = 1;
/// A group is taken to be there when its noisy count is above this many standard deviations.
inline constexpr double kKnownGroup = 4;
/// Of the model's parameters: keeps what no row decides at zero.
inline constexpr double kRidge = 1e-6;
/// Sharpness of F inside psi: softer stages lead to the last one.
inline constexpr double kProxyTaus[] = {2, 4};
/// The minimum of the loss, on which the free line hangs: ten iterations together gain less than
/// this share of it.
inline constexpr double kLossTolerance = 1e-7;
/// Iterations of L-BFGS, of a stage.
inline constexpr std::size_t kProxyIterations = 150;
/// Models with hidden layers: rows of a batch (all at once where there are no more), epochs of a
/// stage, steps of a stage at least, and the rate of Adam at first.
inline constexpr std::uint32_t kProxyBatch = 512;
inline constexpr std::uint64_t kProxyEpochs = 20;
inline constexpr std::uint64_t kProxyLeastSteps = 1500;
inline constexpr double kProxyRate = 0.01;

/// Residual queries: rounds (the model without fairness, two fair ones, what is returned) and their
/// share of the budget (of mu^2, in Gaussian terms).
inline constexpr int kResidualRounds = 4;
inline constexpr double kResidualShare = 0.25;
/// Where the model is a network that follows the sketch: one correction, one measurement.
inline constexpr int kNetworkResidualRounds = 2;
/// Where the model is a network that follows the sketch: what its proxy misses is worth more.
inline constexpr double kNetworkResidualShare = 0.4;

}  // namespace dpfermi::defaults
