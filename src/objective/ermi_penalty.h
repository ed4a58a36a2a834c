#pragma once

/// The fairness term psi (tests/reference/objective.h has the definition in plain loops) as a step
/// needs it: given W, what psi asks of a row's probabilities is linear in them, <v, F>, and v is
/// public for everybody of the same condition and group. This file turns W into those vectors, and
/// a table of joint probabilities into the best W.
///
/// Shapes, row-major: m conditions, k groups, l classes; `width` is l, or 1 for two classes, where
/// a functional v is kept as v_1 - v_0.

#include <cstddef>
#include <span>
#include <vector>

#include "objective/fairness_setting.h"

namespace dpfermi {

/// What rates of two groups usually differ by, taken as a standard deviation.
inline constexpr double kUsualDifference = 0.1;
/// How much of a rate or of a difference that is measured with noise is likely to be there.
inline double trust_in(double noise) {
  const double ratio = noise / kUsualDifference;
  return 1 / (1 + ratio * ratio);
}

/// Who is there: constants of the run, public or released before its first step.
struct GroupMarginals {
  std::vector<double> shares;  ///< m: pi_c
  std::vector<double> groups;  ///< m x k: p_{r|c}, positive, summing to one over r
  /// m x k: whether the group is there at all, as far as its noisy count shows; empty: all are.
  /// What is not known is taken for fair: it moves neither W nor the violation.
  std::vector<bool> known;

  bool is_known(std::size_t cell) const { return known.empty() || known[cell]; }
};

/// Vectors v, with one more row of zeros at the end for rows that meet no condition.
struct Functionals {
  std::vector<double> common;    ///< (m + 1) x width: for everybody who meets c
  std::vector<double> by_group;  ///< (m k + 1) x width: at c k + r
  double scale = 0;              ///< of by_group: psi's gradient holds `scale` times its sum
};

class ErmiPenalty {
 public:
  ErmiPenalty(FairnessSetting setting, GroupMarginals marginals);

  const FairnessSetting& setting() const { return setting_; }
  const GroupMarginals& marginals() const { return marginals_; }

  /// Whether two groups of any condition are known to be there: else no violation can be told.
  bool comparable() const;

  /// Where the group alone is secret. With b_r = W_r / sqrt(p_r), orthogonal to the ones, bbar_c
  /// the centre of the smallest ball around them and R = max_c (w_c/pi_c) R_c:
  ///   common = (w_c/pi_c) (-sum_r W_r^2 + 2 bbar_c),  by_group = (w_c/pi_c) (b_r - bbar_c) / R,
  ///   scale = 2 R.
  /// Ensures: every vector of by_group has norm at most 1, and is 0 where R = 0.
  Functionals centred(std::span<const double> w) const;

  /// Where the whole record is secret: common = 0,
  ///   by_group = (w_c/pi_c) (-sum_r W_r^2 + 2 b_r),  scale = 1.
  Functionals whole(std::span<const double> w) const;

  /// m x k x l: W*_rj = P(j,r) / (P(j) sqrt(p_r)) of a table of joint probabilities (m x k x l),
  /// whose entries may carry noise of standard deviation noise[c] (m): they are cut to [0, p_r],
  /// P(j) is their sum over r, and a group's rates are drawn towards P(j) as far as noise outweighs
  /// what groups usually differ by (trust_in).
  std::vector<double> best_w(std::span<const double> joint, std::span<const double> noise) const;

  /// W of complete fairness, where a run starts: W_rj = sqrt(p_r).
  std::vector<double> fair_w() const;

  /// The gradient of psi in W: w_c 2 (P(j,r)/sqrt(p_r) - W_rj P(j)).
  std::vector<double> w_gradient(std::span<const double> w, std::span<const double> joint,
                                 std::span<const double> mean) const;

  /// max over c, the decisions j that the notion compares and pairs of groups of
  /// |P(j|r,c) - P(j|r',c)|. Where the entries of `joint` are noisy, with standard deviation
  /// noise[c] (m), each of the P differences D of a condition, with
  /// standard deviation s, counts as sqrt(D^2 - max(1, 2 ln P) s^2), 0 below: E D^2 exceeds the
  /// square of the true difference by s^2, and the largest of P by about 2 ln P s^2 where there is
  /// none.
  double violation(std::span<const double> joint, std::span<const double> noise) const;
  /// m: the same of every condition on its own.
  std::vector<double> violations(std::span<const double> joint,
                                 std::span<const double> noise) const;

 private:
  /// m: w_c / pi_c.
  std::vector<double> condition_factors() const;
  /// How many differences violations() takes the maximum of, at least 1.
  std::size_t differences(std::size_t c) const;

  FairnessSetting setting_;
  GroupMarginals marginals_;
};

}  // namespace dpfermi
