#pragma once

/// Exact privacy profiles: one step of any pair, Gaussian compositions, and the revealed pair
/// composed any number of times (with a Gaussian beside it).

#include <optional>
#include <span>
#include <vector>

#include "privacy/accountant/loss_pair.h"
#include "privacy/accountant/normal_tail.h"

namespace dpfermi::accountant {

class ClosedForm {
 public:
  /// Requires: `resolution` > 0, the smallest delta that matters.
  /// Ensures: a profile with an error far below `resolution`, or nothing where no closed form is
  /// known for the composition.
  static std::optional<ClosedForm> of(std::span<const Component> components, double resolution);

  /// delta(epsilon) for epsilon >= 0, with a bound on its error.
  /// Why: docs/proofs/substitution-pair.md section 3, docs/proofs/revealed-pair.md.
  Approximate delta(double epsilon) const;

  struct Bracket {
    double lower;
    double upper;
  };
  /// Bounds on the smallest epsilon >= 0 with delta(epsilon) <= delta. Requires: 0 < delta < 1.
  Bracket epsilon(double delta) const;

 private:
  ClosedForm() = default;
  double starting_epsilon(double delta) const;

  LossPair pair_{PairKind::kGaussian, 1};
  double mu_squared_ = 0;  ///< of the Gaussian beside a revealed pair
  std::size_t first_ = 0;  ///< weights_[i]: probability of first_ + i inclusions
  std::vector<double> weights_;
  double missing_ = 0;       ///< probability of all other numbers of inclusions
  std::vector<double> pmf_;  ///< of a discrete Gaussian
};

}  // namespace dpfermi::accountant
