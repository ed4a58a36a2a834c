#pragma once

/// The dual side of pf-ld: multipliers, and what they ask of a row's probabilities. Shapes, row
/// major: m conditions, k groups, `width` numbers h.

#include <cstddef>
#include <span>
#include <vector>

#include "objective/ermi_penalty.h"
#include "sketch/group_sums.h"

namespace dpfermi {

class PfLdDuals {
 public:
  static constexpr double kMostGap = 0.25;  ///< that a round counts

  /// `shares`: pi_c. Requires width == 1 where `accuracy`.
  PfLdDuals(const FairnessSetting& setting, std::vector<double> shares, std::size_t width,
            bool accuracy);

  /// Takes in the released sums of (h, 1) by condition and group: lambda += rate min(|gap|, 0.25),
  /// where a gap is the group's mean of h less everybody's. Group sizes are the means over all
  /// rounds, at least one unit and one standard deviation.
  void update(const GroupSums& sums, double rate);

  /// labels x groups x model width: v, with <v, F> the gradient's side of
  /// sum_{c,r} lambda sign(gap) gap as a mean over all rows.
  std::vector<double> functionals() const;

  const std::vector<double>& multipliers() const { return multipliers_; }
  const std::vector<double>& gaps() const { return gaps_; }
  const std::vector<double>& group_shares() const { return group_shares_; }  ///< m x k: p_{r|c}

 private:
  FairnessSetting setting_;
  std::vector<double> shares_;
  std::size_t width_;
  bool accuracy_;
  std::size_t rounds_ = 0;
  std::vector<double> counts_;        ///< m x k, summed over rounds
  std::vector<double> group_shares_;  ///< m x k
  std::vector<double> gaps_;          ///< m x k x width
  std::vector<double> multipliers_;   ///< m x k x width
};

}  // namespace dpfermi
