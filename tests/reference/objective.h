#pragma once

/// The objective as it is defined, in plain loops and double precision: every faster path is tested
/// against this one. It takes plain vectors and knows nothing of privacy.
///
///   min_theta max_W  mean_i l(z_i, y_i) + lambda sum_c w_c psi_c,   F_i = softmax(tau z_i),
///
///   psi_c(W) = - sum_rj W_rj^2 E_c F_j + 2 sum_j E_c[W_sj F_j / sqrt(p_s)] - 1,
///
/// z_i the logits of row i, E_c the mean over the rows that meet condition c, p = p(.|c) the
/// marginals of the groups under c: an argument, so that noisy ones can be passed. Then
///
///   max_W psi_c = ERMI_c = sum_jr P(j,r)^2 / (P(j) p_r) - 1   at   W*_rj = P(j,r) / (P(j)
///   sqrt(p_r)).
///
/// Events of probability zero add nothing: with p_r = 0, 1/sqrt(p_r) counts as 0; with P(j) = 0,
/// W*_rj = 0; a condition that no row meets has psi_c = ERMI_c = 0.
///
/// Shapes, all row-major: n rows, l classes, k groups, m = condition_count(notion, l) conditions.

#include <cstddef>
#include <optional>
#include <vector>

#include "dpfermi/objective/fairness_notion.h"

namespace dpfermi::reference {

using Vector = std::vector<double>;

struct Problem {
  FairnessNotion notion = FairnessNotion::kDemographicParity;
  std::size_t groups = 2;      ///< k
  std::size_t classes = 2;     ///< l
  std::size_t favourable = 1;  ///< the label that notions may single out
  double lambda = 1;
  double tau = 1;  ///< sharpness of F inside psi; the loss has none

  std::size_t conditions() const { return condition_count(notion, classes); }
  std::optional<std::size_t> condition(std::size_t y) const {
    return condition_of(notion, y, favourable);
  }
};

/// Label and group of each row.
struct Rows {
  std::vector<std::size_t> y;
  std::vector<std::size_t> s;

  std::size_t size() const { return y.size(); }
};

/// Row i of a matrix with `columns` columns.
Vector row(const Vector& matrix, std::size_t i, std::size_t columns);

/// 1/sqrt(p), and 0 for p = 0: a group without members.
double inverse_root(double p);

/// F_j = exp(tau z_j) / sum_h exp(tau z_h).
Vector softmax(const Vector& logits, double tau);

/// (dF/dz)^T g = tau F_j (g_j - <F, g>), where f = softmax(z, tau).
Vector softmax_pullback(const Vector& f, double tau, const Vector& g);

/// l = log sum_h exp(z_h) - z_y, and its gradient in z.
double cross_entropy(const Vector& logits, std::size_t y);
Vector cross_entropy_gradient(const Vector& logits, std::size_t y);

/// m: pi_c, the share of the rows that meet c.
Vector condition_shares(const Problem& problem, const Rows& rows);

/// m: w_c; 0 where no row meets c.
Vector condition_weights(const Problem& problem, const Rows& rows);

/// m x k: p_{r|c}, exactly.
Vector group_marginals(const Problem& problem, const Rows& rows);

/// n x l: softmax of each row of the logits (n x l).
Vector probabilities(const Problem& problem, const Vector& logits);

/// m x l: P(j|c) = E_c F_j.
Vector mean_probabilities(const Problem& problem, const Rows& rows, const Vector& f);

/// m x k x l: P(j,r|c) = E_c[1{s=r} F_j].
Vector joint_probabilities(const Problem& problem, const Rows& rows, const Vector& f);

/// m: ERMI_c and psi_c.
Vector ermi_by_condition(const Problem& problem, const Rows& rows, const Vector& f,
                         const Vector& marginals);
Vector psi_by_condition(const Problem& problem, const Rows& rows, const Vector& f,
                        const Vector& marginals, const Vector& w);

/// sum_c w_c ERMI_c and sum_c w_c psi_c.
double ermi(const Problem& problem, const Rows& rows, const Vector& f, const Vector& marginals);
double psi(const Problem& problem, const Rows& rows, const Vector& f, const Vector& marginals,
           const Vector& w);

/// m x k x l: the W that maximises psi.
Vector best_w(const Problem& problem, const Rows& rows, const Vector& f, const Vector& marginals);

/// mean loss + lambda psi.
double objective(const Problem& problem, const Rows& rows, const Vector& logits,
                 const Vector& marginals, const Vector& w);

/// n x l and m x k x l: the gradients of the objective in the logits and in W.
Vector logit_gradient(const Problem& problem, const Rows& rows, const Vector& logits,
                      const Vector& marginals, const Vector& w);
Vector w_gradient(const Problem& problem, const Rows& rows, const Vector& logits,
                  const Vector& marginals, const Vector& w);

}  // namespace dpfermi::reference
