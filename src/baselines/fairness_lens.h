#pragma once

/// `fairness-lens`: DP-SGD that watches how unevenly privacy itself hurts (Tran, Dinh and Fioretto
/// 2021). Two things make a group lose more accuracy: clipping bends its gradients more, and its
/// records lie nearer to the decision boundary. Both are penalised,
///
///   loss + lambda sum_a |<g_a - g, g - gbar>| + lambda sum_a |E_a[1 - sum F^2] - E[1 - sum F^2]|,
///
/// g the mean gradient of the loss, g_a that of group a, gbar the mean of clipped gradients.
///
/// Protects whole records (replace-record). Prediction needs x alone. Softmax regression. It aims
/// at equal *accuracy* of groups: that it helps any other notion is incidental.
///
/// No code is known; we follow the paper, and choose:
///   - everything the penalties read of the data (group sizes, closeness, g_a and g - gbar, both
///     clipped) leaves with the step's gradient in one Gaussian release and is smoothed over steps;
///     signs and differences come from what was released.
///   - the gradient of the first penalty is taken with the clipping factors held fixed.
///   - step size, batches and clip norm are those of our own methods; the mean of the last half of
///     the iterates.

#include "baselines/baseline.h"

namespace dpfermi {

namespace methods {
extern const MethodDescriptor fairness_lens;
}  // namespace methods

struct FairnessLensOptions : BaselineOptions {
  std::uint64_t steps = 1600;
  double sizes_weight = 0.1;  ///< share of a step's norm for group sizes and closeness
};

Result<BaselineResult> fairness_lens(const Dataset& data, const FairnessLensOptions& options,
                                     StepLedger& ledger, NoiseSource noise,
                                     const TrainingHooks& hooks = {});

}  // namespace dpfermi
