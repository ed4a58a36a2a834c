#pragma once

/// Honest error bars: where the true violation of a model's hard decisions on the training rows
/// lies, from what was released. Every difference of two known groups is covered at once
/// (Bonferroni); the noise of a ratio is taken to first order, and the two groups' noises as if
/// they never cancelled.

#include <span>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/objective/violation_interval.h"
#include "model/network.h"
#include "sketch/feature_map.h"
#include "sketch/group_sums.h"

namespace dpfermi {

/// From a query of the model's decisions and from the noisy counts in a sketch's sums. Noise is all
/// that is uncertain: no assumption about how s depends on x. Conditions are those of the sketch:
/// its notion.
ViolationInterval violation_interval(const FairnessSetting& setting, const GroupSums& decisions,
                                     const SketchFeatures& features, const GroupSums& sketch,
                                     double confidence = 0.95);

/// A proxy and what it was fitted to.
struct FittedProxy {
  const SketchFeatures* features;
  FairnessSetting conditions;    ///< of the sketch
  const GroupSums* sums;         ///< of the sketch
  std::span<const float> proxy;  ///< rows x groups
};

/// From a sketch alone. With u = 1[yhat = j] - (the proxy's rate), any vector a gives
///
///   T = sum_i w_i 1[s_i = r] u_i  =  sum_i w_i p~_ir u_i + <A_r - sum_i w_i p~_ir phi_i, a> +
///   error, error = <noise of A_r, a> + sum_i w_i (1[s_i = r] - p~_ir) (u_i - <a, phi_i>).
///
/// a is the regression of u on phi with weights p~ (1 - p~), held back by the noise level as the
/// proxy was, and once more on what that left: the error of p~ itself then cancels to first order.
/// What remains has the variance (1 - 1/k) noise^2 |a|^2 + sum_i w_i p~ (1 - p~) (u_i - <a,
/// phi_i>)^2, the second part being who happens to be in which group. (Rows of one person may share
/// a group; weights w in place of w^2 cover that.)
Result<ViolationInterval> proxy_violation_interval(
    const Dataset& data, const FairnessSetting& setting, const FittedProxy& fitted,
    const Network& network, std::span<const double> theta, double confidence = 0.95);

}  // namespace dpfermi
