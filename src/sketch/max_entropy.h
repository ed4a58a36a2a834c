#pragma once

/// p~(s | x, c): of all distributions whose group sums are what a sketch says they are, as far as
/// its noise lets it say so, the one of largest entropy. It is an exponential family,
///
///   p~(r | x_i, c) proportional to exp <beta_{c,r}, phi(x_i)>,
///
/// and beta minimises, for every condition on its own,
///
///   sum_i w_i log sum_r exp <beta_r, phi_i> - sum_r <A_r, beta_r> + gamma/2 sum_r |beta_r -
///   b_r|^2.
///
/// gamma is the standard deviation of the noise on the difference of two groups: a direction of phi
/// in which the data say less than the noise hides is left where b has it. b is zero, or, where
/// there are several conditions, the fit to all of them together: what s has to do with x is much
/// the same among all labels, and a small condition alone would drown. kappa, the counts, is free.
/// A group whose noisy count does not tell it from nothing is taken for a few units that are like
/// everybody else: its sums are noise, and a count of noise below zero has no fit. What its sums
/// had more than that goes to the other groups by their size. Sums over further public vectors,
/// such as the outputs of a model, become more coordinates of phi with a noise of their own
/// (residual correction).

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "data/dataset.h"
#include "dpfermi/core/result.h"
#include "dpfermi/core/workers.h"
#include "sketch/feature_map.h"
#include "sketch/group_sums.h"

namespace dpfermi {

/// Dense vectors of every row and what is known of their sums over groups.
struct DenseStatistic {
  std::vector<float> columns;  ///< rows x sums.size
  GroupSums sums;
};

class MaxEntropy {
 public:
  /// `sums` are those of `features` under the conditions of `setting`. All arguments but the last
  /// two must outlive this object.
  MaxEntropy(const Dataset& data, const SketchFeatures& features, const FairnessSetting& setting,
             GroupSums sums);
  ~MaxEntropy();
  MaxEntropy(const MaxEntropy&) = delete;
  MaxEntropy& operator=(const MaxEntropy&) = delete;

  /// One more statistic to agree with, at the next fit().
  void add(DenseStatistic statistic);

  /// Called after every iteration; false ends the fit there.
  using Watch = std::function<bool()>;

  /// rows x groups: p~ of every row, 1/k where it meets no condition. Starts where the last fit
  /// ended. Takes at most most_steps() iterations.
  Result<std::vector<float>> fit(Workers* workers = nullptr, const Watch& watch = {});
  std::size_t most_steps() const;

 private:
  class Condition;

  /// The share of its condition that a group is given (m x k): those that are known sum to one.
  void settle_shares();
  /// Makes those that are not known like everybody.
  void settle(GroupSums& sums) const;

  const Dataset* data_;
  const SketchFeatures* features_;
  FairnessSetting setting_;
  GroupSums sums_;
  std::vector<bool> known_;     ///< m x k
  std::vector<double> shares_;  ///< m x k
  std::vector<DenseStatistic> more_;
  std::unique_ptr<Condition> pooled_;  ///< where there are several
  std::vector<std::unique_ptr<Condition>> conditions_;
};

/// Whether the noisy counts of a sketch tell a group from nothing, for every condition of `wanted`
/// (m x k), each of which is a union of conditions of the sketch (`own`).
std::vector<bool> known_groups(const SketchFeatures& features, const GroupSums& sums,
                               const FairnessSetting& own, const FairnessSetting& wanted);

}  // namespace dpfermi
