#pragma once

/// The dual side of raco-dp: rates by group from a noisy histogram, multipliers, and what they ask
/// of a row's probabilities. Shapes, row-major: m conditions x k groups x l classes.

#include <span>
#include <vector>

#include "objective/ermi_penalty.h"

namespace dpfermi {

class RateConstraints {
 public:
  /// `sizes`: m x k, N_cr over the number of units, positive.
  RateConstraints(const FairnessSetting& setting, std::vector<double> sizes);

  /// Gamma_crj = H_crj / N_cr - sum_{r' != r} H_cr'j / N_{c, not r}, H in means over units.
  std::vector<double> gaps(std::span<const double> histogram) const;

  /// lambda <- max(0, lambda + rate (clip(Gamma, 0, 1) - gamma)).
  void update(std::span<const double> histogram, double rate, double gamma);

  /// labels x groups x width: v, with <v, F> of a row its part of sum lambda Gamma, as a mean.
  std::vector<double> functionals() const;

  const std::vector<double>& multipliers() const { return multipliers_; }

 private:
  /// N_{c, not r}.
  double others(std::size_t c, std::size_t r) const;

  FairnessSetting setting_;
  std::vector<double> sizes_;
  std::vector<double> multipliers_;
};

}  // namespace dpfermi
