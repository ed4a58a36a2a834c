#pragma once

/// Honest error bars: where the true violation of a model's hard decisions on the training rows
/// lies, from what was released. Every difference of two known groups is covered at once
/// (Bonferroni); the noise of a ratio is taken to first order, and the two groups' noises as if
/// they never cancelled.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/objective/violation_interval.h"
#include "sketch/feature_map.h"
#include "sketch/group_sums.h"

namespace dpfermi {

/// A rate P(yhat = j | r, c) and the standard deviation of its error.
struct NoisyRate {
  double value = 0;
  double deviation = 0;
};

/// m x k x width rates: of every class, or of the second of two.
struct NoisyRates {
  std::vector<NoisyRate> rates;
  std::vector<bool> known;  ///< m x k: whether the group is compared at all
};

/// Calls visit(i, j) for every two rates that the notion compares, of groups that are known.
void for_differences(const FairnessSetting& setting, const NoisyRates& noisy,
                     const std::function<void(std::size_t, std::size_t)>& visit);

/// The rates of a model's decisions by a query of them (sketch/residual.h), given noisy counts of
/// the cells (m x k) and the standard deviation of their noise.
NoisyRates queried_rates(const FairnessSetting& setting, const GroupSums& decisions,
                         std::span<const double> counts, double count_deviation,
                         std::vector<bool> known);

/// The rates by a query and by the noisy counts in a sketch's sums. Conditions are those of the
/// sketch: its notion.
NoisyRates queried_rates(const FairnessSetting& setting, const GroupSums& decisions,
                         const SketchFeatures& features, const GroupSums& sketch);

/// From the rates of a query. Noise is all that is uncertain: no assumption about how s depends on
/// x. Nothing where noise hides all but one group under every condition: nothing is compared.
std::optional<ViolationInterval> violation_interval(const FairnessSetting& setting,
                                                    const NoisyRates& noisy,
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
/// a group; weights w instead of w^2 cover that.) Nothing where nothing is compared, as above, and
/// where `goes_on`, which is asked between pieces of work, says no.
std::optional<ViolationInterval> proxy_violation_interval(const Dataset& data,
                                                          const FairnessSetting& setting,
                                                          const FittedProxy& fitted,
                                                          std::vector<std::uint16_t> decisions,
                                                          const std::function<bool()>& goes_on = {},
                                                          double confidence = 0.95);

}  // namespace dpfermi
