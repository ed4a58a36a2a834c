#pragma once

/// The decision rule of least expected cost whose rates differ between groups by at most t, among
/// rules that do not look at s. Everything here is public or was released: rows come with what the
/// scores of a model and a proxy of s say about them,
///
///   a_ij  = sum_y cost(j, y) eta_y(x_i)                      the expected cost of deciding j
///   g_icr = sum_{y meets c} eta_y(x_i) p~(r | x_i, y)        P~(c, s = r | x_i)
///
/// "The rates of any two groups differ by at most t" means that some centre for every (c, j) lies
/// within t/2 of all of them. With G_cr = mean_i g_icr the Lagrangian of that linear program gives
/// the rule
///
///   yhat(x_i) = argmin_j [ a_ij + sum_{c,r} mu_crj g_icr / G_cr ],   sum_r mu_crj = 0,
///
/// and the concave dual that repair/repair_solver.h maximises,
///
///   D(mu) = mean_i min_j [ ... ] + sum mu_crj b_crj - (t/2) sum |mu_crj|.
///
/// b is what a query has measured above the proxy's rate (zero where nothing was asked). Groups
/// that noise hides are not compared: their multipliers are zero. Of equal classes the first one is
/// decided for. Only rows with equal sums can differ from an optimum of the linear program, and an
/// optimum needs a coin for at most as many different rows as it has multipliers.

#include <cstdint>
#include <span>
#include <vector>

#include "objective/fairness_setting.h"

namespace dpfermi {

struct RepairProblem {
  FairnessSetting setting;      ///< m conditions, k groups, l classes
  std::vector<double> costs;    ///< rows x l: a
  std::vector<double> joint;    ///< rows x m x k: g
  std::vector<double> weights;  ///< rows; their sum is 1
  std::vector<bool> known;      ///< m x k: whether the group is compared
  std::vector<double> offsets;  ///< m x k x l: b; empty: zero

  std::size_t rows() const { return weights.size(); }
  std::size_t cells() const { return setting.conditions() * setting.groups; }
  double offset(std::size_t i) const { return offsets.empty() ? 0 : offsets[i]; }

  /// Whether the rates of decision j are constrained. Of two classes one says it all.
  bool constrained(std::size_t j) const {
    return setting.classes == 2 ? j == 1 : setting.compares(j);
  }
};

/// m x k: G.
std::vector<double> cell_shares(const RepairProblem& problem);

/// m x k x l: mu / G, by which g is multiplied; zero where G is.
std::vector<double> decision_weights(const RepairProblem& problem, std::span<const double> mu);

/// The class that the rule decides for, of every row.
std::vector<std::uint16_t> decisions_under(const RepairProblem& problem,
                                           std::span<const double> mu);

/// Mean expected cost of decisions.
double expected_cost(const RepairProblem& problem, std::span<const std::uint16_t> decisions);

/// m x k x l: how often each group gets each decision, as the proxy has it, without offsets.
std::vector<double> expected_rates(const RepairProblem& problem,
                                   std::span<const std::uint16_t> decisions);

/// The largest difference between two groups that are compared, offsets included.
double expected_violation(const RepairProblem& problem, std::span<const std::uint16_t> decisions);

}  // namespace dpfermi
