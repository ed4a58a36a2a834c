#pragma once

/// Gaussian differential privacy in closed form. Gaussian releases are together exactly as private
/// as one of mu^2 = sum 1 / sigma_j^2.

namespace dpfermi {

/// delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu), rounded up.
double gdp_delta(double mu, double epsilon);

/// The epsilon >= 0 of a given delta in (0, 1), rounded up.
double gdp_epsilon(double mu, double delta);

/// The largest mu that is (epsilon, delta)-DP, rounded down. Requires: epsilon >= 0, 0 < delta < 1.
double gdp_mu_for(double epsilon, double delta);

}  // namespace dpfermi
