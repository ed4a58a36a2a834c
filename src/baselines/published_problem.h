#pragma once

/// The objective of the DP-FERMI authors' released program for binary labels, with the loss:
///
///   mean loss + lambda sum_c psi_c,   psi_c = -W_c^2 m_c + 2 W_c u_c / sqrt(p_c) - 1,
///
/// m_c the mean of F_1 over the rows of condition c, u_c the mean of F_1 1[s = g] over the same
/// rows, p_c the share of group g among them. One condition for demographic parity; one a label,
/// equally weighted, for equalized odds.
///
/// It is not ERMI. Its W is 1 x 1 where the method has k x l: one class and one group g are seen.
/// At the best W_c, with a the mean of F_1 in group g, psi_c = p_c a^2 / m_c - 1: it falls as group
/// g gets fewer positive decisions and as the other gets more, at parity as anywhere else.
///
/// Everything is read exactly: nothing is protected, and there is no private form of it.

#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "dpfermi/objective/fairness_notion.h"
#include "dpfermi/optimize/min_max_solver.h"
#include "dpfermi/privacy/statement.h"
#include "model/network.h"

namespace dpfermi {

class PublishedProblem {
 public:
  /// Requires two classes, and a notion with conditions that cover every row. `group` is g. A
  /// condition without members of g adds no u_c.
  PublishedProblem(const Dataset& data, FairnessNotion notion, std::uint16_t group, double lambda,
                   double w_radius, const ExactRead& read);

  std::size_t theta_size() const { return network_.spec().parameter_count(); }
  std::size_t w_size() const { return inverse_roots_.size(); }

  void begin_step(std::span<const double> theta, std::span<const double> w);

  /// Adds both gradients over a batch, means over a condition being means over its rows there.
  Status add_exact(const ExactRead& read, std::span<const std::uint32_t> rows, Gradients& gradients,
                   Workers* workers);

  /// |W_c| <= w_radius.
  void project(std::span<double> w) const;

  /// Nothing is taken from it in public, and a private sum is refused.
  void add_public(std::span<const std::uint32_t>, Gradients&, Workers*) const {}
  Result<ClippedSum> clipped_sum(const Privatizer&, const Batch&, Workers*) const;
  void add_released(const NoisySum&, Gradients&) const {}

 private:
  std::size_t condition(std::uint32_t row) const { return w_size() == 1 ? 0 : data_->y[row]; }
  void add_rows(const std::vector<std::uint16_t>& s, std::span<const std::uint32_t> rows,
                double loss_weight, std::span<const double> penalty_weights, Gradients& gradients);

  const Dataset* data_;
  Network network_;
  std::uint16_t group_;
  double lambda_;
  double w_radius_;
  std::vector<double> inverse_roots_;  ///< 1 / sqrt(p_c); 0 without members
  FactorBlock block_;
  std::vector<double> outputs_, f_;
  std::vector<double> theta_, w_;  ///< of this step
};

}  // namespace dpfermi
