#pragma once

/// What the penalties of fairness-lens need to know about the data, as means over units: P numbers
/// make up a gradient.

#include <cstddef>
#include <span>
#include <vector>

namespace dpfermi {

/// What the penalties ask of a record: coefficients by group, and directions of the Hessian.
struct LensTerms {
  std::vector<double> gradient_weights;   ///< k: of H_i bias for a member of a group
  std::vector<double> closeness_weights;  ///< k: of the gradient of 1 - sum F^2
  std::vector<double> bias;               ///< P: g - gbar
  std::vector<double> unevenness;         ///< P: sum_a sign_a (g_a - g) lambda
};

class LensStatistics {
 public:
  LensStatistics(std::size_t groups, std::size_t parameters, double clip_norm);

  /// Numbers of one record's share: (1, 1 - sum F^2) and the clipped gradient in the blocks of its
  /// group, and what clipping cut off, itself clipped; each block divided by its bound.
  std::size_t size() const { return groups_ * (2 + parameters_) + parameters_; }
  /// Its length, at most.
  static double bound();

  /// Where a record of group a writes, in its share.
  std::size_t sizes_at(std::size_t a) const { return 2 * a; }
  std::size_t gradient_at(std::size_t a) const { return 2 * groups_ + a * parameters_; }
  std::size_t excess_at() const { return groups_ * (2 + parameters_); }

  /// Takes in the released sums of a step over the expected units: `share` of the smoothed values.
  void add(std::span<const double> sums, double units, double share);

  /// The penalties' terms for weight lambda. Shares of groups are at least `least_share`.
  LensTerms terms(double lambda, double least_share) const;

 private:
  std::size_t groups_;
  std::size_t parameters_;
  double clip_norm_;
  std::vector<double> means_;
};

}  // namespace dpfermi
