#pragma once

/// Renyi differential privacy, for comparison and for charges that are defined by it (tuning).
/// D_alpha(P || Q) = ln E_Q[(dP/dQ)^alpha] / (alpha - 1); compositions add up. Sampled pairs are
/// integrated numerically, every order alike: the integrand is positive, so no terms of changing
/// sign are added up and fractional orders are as accurate as whole ones.

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/event.h"

namespace dpfermi {

/// Requires: order > 1.
/// Ensures: the larger of both directions, to about 1e-10 relative; +infinity without noise. For a
/// discrete Gaussian the bound alpha shift^2 / (2 sigma^2).
Result<double> renyi_divergence(const PrivacyEvent& event, double order);

struct RdpEpsilon {
  double epsilon;
  double order;  ///< at which it was reached
};

/// The (epsilon, delta) of a Renyi divergence at one order:
/// D + ln((alpha-1)/alpha) - (ln delta + ln alpha)/(alpha-1), at least 0.
double rdp_to_epsilon(double divergence, double order, double delta);

/// The best conversion over all orders. Requires: 0 < delta < 1.
Result<RdpEpsilon> rdp_epsilon(const PrivacyEvent& event, double delta);

}  // namespace dpfermi
