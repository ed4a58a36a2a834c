#pragma once

/// What the penalties of fairness-lens know about the data: means over units of released sums. P
/// numbers make up a gradient.

#include <cstddef>
#include <span>
#include <vector>

namespace dpfermi {

/// What the penalties ask of a record: coefficients by group, and directions of the Hessian.
struct LensTerms {
  std::vector<double> gradient_weights;   ///< k: of H_i bias, for a member of a group
  std::vector<double> closeness_weights;  ///< k: of the gradient of 1 - sum F^2
  std::vector<double> bias;               ///< P: g - gbar
  std::vector<double> unevenness;         ///< P: lambda sum_a sign_a (g_a - g)
};

class LensStatistics {
 public:
  LensStatistics(std::size_t groups, std::size_t parameters);

  std::size_t groups() const { return closeness_.size(); }

  /// What one step released, in means over units.
  struct Released {
    std::vector<double> sizes;      ///< k: share of the group
    std::vector<double> closeness;  ///< k: 1 - sum F^2 of its members
    std::vector<double> gradients;  ///< k x P: clipped gradients of its members
    std::vector<double> excess;     ///< P: what clipping cut off, itself clipped
  };

  /// `share` is what the step makes up of the smoothed values.
  void add(const Released& step, double share);

  /// The penalties' terms for weight lambda. Shares of groups are at least `least_share`.
  LensTerms terms(double lambda, double least_share) const;

 private:
  std::size_t parameters_;
  std::vector<double> sizes_, closeness_, gradients_, excess_;
};

}  // namespace dpfermi
