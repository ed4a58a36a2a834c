#pragma once

/// The table of joint probabilities P(j, r | c), put together step by step from sums over small
/// batches, noisy or not, and smoothed over steps. All that is known about the groups sits in it.
///
/// A row adds to the sums, in the block of its condition, (e_s - g)(F - 1/l)^T. Where the group
/// alone is secret, g = 1/k and the length is at most sqrt(1 - 1/k) sqrt(1 - 1/l); what centring
/// took away follows from E_c F, which is public, and from the marginals:
///   P(j,r|c) = E_c[(1{s=r} - 1/k)(F_j - 1/l)] + P(j|c)/k + p_{r|c}/l - 1/(kl).
/// Where the whole record is secret, g = 0 and nothing but the marginals is needed:
///   P(j,r|c) = E_c[1{s=r}(F_j - 1/l)] + p_{r|c}/l.
/// With two classes F - 1/2 has one direction: sqrt(2)(F_1 - 1/2), one coordinate of equal length.

#include <span>
#include <vector>

#include "objective/ermi_penalty.h"

namespace dpfermi {

class JointTable {
 public:
  /// `public_features`: whether the group alone is secret.
  JointTable(FairnessSetting setting, const GroupMarginals& marginals, bool public_features);

  /// m k width.
  std::size_t sum_size() const { return latest_.size(); }

  /// The length of what a row adds.
  double bound() const;

  /// Writes what rows add: row i has condition conditions[i] (m for none: it adds nothing), cell
  /// cells[i] = c k + s, and F in f (rows x width), already sharpened. Entry e of row i,
  /// e < sum_size(), goes to out[e * stride + i].
  void write_rows(std::span<const std::uint32_t> conditions, std::span<const std::uint32_t> cells,
                  std::span<const double> f, std::span<const double> weights, std::size_t stride,
                  std::span<double> out) const;

  /// Takes the sums of one step over an expected number of `units`, and, where features are public,
  /// the sums of F (m x width) and of weights (m) over a batch of the public part. A share `rate`
  /// of the smoothed table comes from this step. `noise` is the standard deviation of the noise on
  /// each entry of the sums.
  void add(std::span<const double> sums, double units, std::span<const double> f_sums,
           std::span<const double> weight_sums, double noise, double rate);

  /// m x k x l, smoothed over steps and of the last step alone. They may be negative.
  std::vector<double> smoothed() const { return joint(smoothed_, smoothed_mean_); }
  std::vector<double> latest() const { return joint(latest_, latest_mean_); }

  /// m x l: P(j|c) of the last step.
  std::vector<double> latest_mean() const;

  /// m: the standard deviation of the noise on an entry of smoothed().
  std::vector<double> smoothed_noise() const;

  /// What smoothing has gathered so far, for checkpoints.
  std::vector<double> state() const;
  void restore(std::span<const double> state);

 private:
  std::vector<double> joint(std::span<const double> centred, std::span<const double> mean) const;

  FairnessSetting setting_;
  GroupMarginals marginals_;
  bool public_features_;
  std::vector<double> latest_, smoothed_;            ///< m x k x width: E_c of a row's addition
  std::vector<double> latest_mean_, smoothed_mean_;  ///< m x width: E_c of F - 1/l
  double noise_variance_ = 0;  ///< of the smoothed sums, per unit and entry, were pi_c = 1
};

}  // namespace dpfermi
