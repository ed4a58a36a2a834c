#pragma once

/// The fairness side of DP-FERMI, whatever the model is: lambda, the penalty, and the joint tables
/// that released sums fill step by step. The problems on tables (optimize/fermi_problem.h) and on
/// networks that are held elsewhere (optimize/deep_problem.h) each hold one.
///
/// Under adjacency `sensitive` the secret terms are those that read a record's group; under the
/// record adjacencies everything is. What unit i adds to the secret sums:
///   theta  J_i^T v, v as in objective/ermi_penalty.h, clipped to `clip_norm`; under the record
///          adjacencies the gradient of loss + lambda psi
///   table  its addition to the joint table (objective/joint_table.h), bounded by construction
/// lambda and the scale of v return after the noise, so that lambda = 0 costs nothing and one
/// calibration serves every lambda (under `sensitive`).

#include <cstdint>
#include <span>
#include <vector>

#include "dpfermi/optimize/min_max_solver.h"
#include "dpfermi/privacy/adjacency.h"
#include "objective/ermi_penalty.h"
#include "objective/joint_table.h"

namespace dpfermi {

struct FermiOptions {
  double lambda = 1;
  double tau = 1;                 ///< sharpness of F inside psi
  double clip_norm = 1;           ///< C_theta
  double table_weight = 0.3;      ///< share b of the norm that the tables get; theta gets the rest
  double smoothing = 1;           ///< least share of the smoothed tables that one step makes up
  double decision_smoothing = 1;  ///< the same for the table of hard decisions
  double w_radius = 5;            ///< D: W is projected to the Frobenius ball of this radius
  bool watch_decisions = false;   ///< release a second table, of hard decisions, to steer lambda by
};

class FairnessState {
 public:
  /// Sums over rows of a public batch, by condition (x width, or x 1).
  struct PublicSums {
    std::vector<double> f, f_hard, weights;
  };
  /// At most FactorBlock::kRows rows, with all that the tables want to know of them.
  struct TableRows {
    std::span<const std::uint32_t> conditions;  ///< of each row; conditions() for none
    std::span<const double> f;                  ///< rows x width, sharpened
    std::span<const double> f_hard;             ///< rows x width; read if decisions are watched
    std::span<const double> weights;
  };

  FairnessState(ErmiPenalty penalty, Adjacency adjacency, FermiOptions options);

  const FermiOptions& options() const { return options_; }
  const ErmiPenalty& penalty() const { return penalty_; }
  const JointTable& table() const { return table_; }
  const JointTable& decisions() const { return decisions_; }
  std::size_t w_size() const { return penalty_.setting().w_size(); }
  std::size_t width() const { return penalty_.setting().width(); }
  std::size_t dense_size() const { return (options_.watch_decisions ? 2 : 1) * table_.sum_size(); }
  bool public_features() const { return public_features_; }
  /// Demographic parity: all rows meet the one condition.
  bool everybody() const { return penalty_.setting().unconditional(); }
  const std::vector<std::uint32_t>& condition_by_label() const { return condition_by_label_; }

  /// Segments of the joint release: (theta, tables) with weights sqrt(1 - b^2), b.
  std::vector<Segment> segments_for(std::size_t theta_size) const;

  // A step: functionals from W, public rows, secret rows, their sums, and a new W.

  /// W of this step, and the functionals that follow from it.
  void begin_step(std::span<const double> w);
  const Functionals& functionals() const { return functionals_; }

  /// The most likely class as probabilities of 0 and 1, the first of several.
  void decide(std::span<const double> f, std::span<double> hard) const;

  PublicSums no_sums() const;
  void add_public_rows(const TableRows& rows, PublicSums& sums) const;
  /// Makes `sums` those of this step's public batch.
  void set_public(PublicSums sums) { public_ = std::move(sums); }

  /// cells[i] = c k + s of row i, m k for rows of no condition.
  void find_cells(std::span<const std::uint32_t> conditions, std::span<const std::uint16_t> s,
                  std::span<const std::uint32_t> rows, std::span<std::uint32_t> cells) const;
  /// What rows add to the tables, dense_size() entries each: entry e of row i goes to
  /// dense[e * stride + i].
  void write_tables(const TableRows& rows, std::span<const std::uint32_t> cells, std::size_t stride,
                    std::span<double> dense) const;

  /// Adds what a released sum says about the gradients, and to the tables.
  void add_released(const NoisySum& noisy, Gradients& gradients);
  /// The same of sums over `units` units that carry noise in the tables at most.
  void add_sums(std::span<const double> theta, std::span<const double> table, double table_noise,
                double units, Gradients& gradients);

  /// To the Frobenius ball of radius D, all conditions together.
  void project(std::span<double> w) const;
  /// The W that is best for the smoothed table.
  void respond(std::span<double> w) const;

  double lambda() const { return options_.lambda; }
  void set_lambda(double lambda) { options_.lambda = lambda; }

  /// What noise on the sum of theta's contributions is multiplied with: lambda times the scale of
  /// the functionals, or 1 where the whole record is secret. It shrinks as the model becomes fair.
  double noise_scale() const { return public_features_ ? options_.lambda * functionals_.scale : 1; }

  /// The violation of hard decisions, as the smoothed table has it. Requires watch_decisions.
  double decision_violation() const {
    return penalty_.violation(decisions_.smoothed(), decisions_.smoothed_noise());
  }

  /// What has been gathered over `steps` steps, for checkpoints.
  std::vector<double> gathered() const;
  void restore(std::span<const double> gathered, std::uint64_t steps);

 private:
  ErmiPenalty penalty_;
  bool public_features_;
  FermiOptions options_;
  JointTable table_;
  JointTable decisions_;  ///< unused unless decisions are watched
  std::vector<std::uint32_t> condition_by_label_;
  std::uint64_t steps_ = 0;
  std::vector<double> w_;  ///< of this step
  Functionals functionals_;
  PublicSums public_;
};

}  // namespace dpfermi
