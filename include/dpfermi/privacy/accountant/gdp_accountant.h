#pragma once

/// Gaussian differential privacy: compositions of Gaussian releases in closed form. A tree of
/// Gaussian events is exactly as private as one Gaussian of mu^2 = sum 1 / sigma_j^2.

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/event.h"

namespace dpfermi {

/// Requires: Gaussian events alone, or Poisson ones with q = 1; anything else is refused.
/// Ensures: the event is mu-GDP and no better; +infinity for a release without noise.
Result<double> gdp_mu(const PrivacyEvent& event);

/// delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu), rounded up.
double gdp_delta(double mu, double epsilon);

/// The epsilon >= 0 of a given delta in (0, 1), rounded up.
double gdp_epsilon(double mu, double delta);

/// The largest mu that is (epsilon, delta)-DP, rounded down. Requires: epsilon >= 0, 0 < delta < 1.
double gdp_mu_for(double epsilon, double delta);

}  // namespace dpfermi
