#pragma once

/// The functional mechanism (Zhang et al. 2012) for logistic regression: the loss is replaced by
/// its Taylor polynomial around w = 0,
///
///   mean_i [ ln 2 + (1/2 - y_i) <x_i, w> + 1/8 <x_i, w>^2 ],     x = [features, 1],
///
/// whose coefficients are sums over records. Noise goes on the coefficients, once; minimising what
/// comes out is free. Fairness of decisions (Zafar et al. 2017) joins as
///
///   alpha sum_r |<c_r, w>|,     c_r = mean_i (1[s_i = r] - p_r) x_i,
///
/// the covariances of group membership with the decision boundary: the sums of x by group say all
/// about them.

#include <cstddef>
#include <vector>

namespace dpfermi {

/// Means over units, noisy or not. D = d + 1 entries belong to [x, 1].
struct TaylorLoss {
  std::size_t inputs = 0;         ///< D
  std::vector<double> linear;     ///< D: (1/2 - y) x
  std::vector<double> quadratic;  ///< D x D: x x^T / 8; need not be symmetric
  std::vector<double> groups;     ///< k x D: 1[s = r] x
  /// Standard deviation of the noise on an entry of the quadratic form's symmetric part.
  double quadratic_noise = 0;
};

/// c_r for every group; for two groups that of the second alone, as the first is its opposite.
std::vector<std::vector<double>> boundary_covariances(const TaylorLoss& loss);

/// The w that minimises the polynomial plus alpha times the covariances. The quadratic form is made
/// definite first: 2 sqrt(D) standard deviations, about the norm of a random symmetric matrix, are
/// added to the diagonal, and directions that are still below half of that are left at zero.
std::vector<double> minimise_taylor(const TaylorLoss& loss, double alpha);

}  // namespace dpfermi
