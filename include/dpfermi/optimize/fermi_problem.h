#pragma once

/// The min-max problem of DP-FERMI on a table: mean loss + lambda psi, cut into what is public and
/// what is secret. Under adjacency `sensitive` the secret terms are those that read a record's
/// group; under the record adjacencies everything is.
///
/// What unit i adds to the secret sums (units are records, or persons: then the mean over their
/// rows):
///   theta  J_i^T v, v as in objective/ermi_penalty.h, clipped to `clip_norm`; under the record
///          adjacencies the gradient of loss + lambda psi
///   table  its addition to the joint table (objective/joint_table.h), bounded by construction
/// lambda and the scale of v return after the noise, so that lambda = 0 costs nothing and one
/// calibration serves every lambda (under `sensitive`).

#include <cstdint>
#include <span>
#include <vector>

#include "dpfermi/data/dataset.h"
#include "dpfermi/data/unit_rows.h"
#include "dpfermi/model/network.h"
#include "dpfermi/objective/ermi_penalty.h"
#include "dpfermi/objective/joint_table.h"
#include "dpfermi/optimize/min_max_solver.h"
#include "dpfermi/privacy/adjacency.h"

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

struct RowBlock;

class FermiProblem {
 public:
  FermiProblem(const Dataset& data, Network network, ErmiPenalty penalty, Adjacency adjacency,
               FermiOptions options, std::size_t workers = 1);

  std::size_t theta_size() const { return network_.spec().parameter_count(); }
  std::size_t w_size() const { return penalty_.setting().w_size(); }

  /// Segments of the joint release: (theta, table) with weights sqrt(1 - b^2), b.
  std::vector<Segment> segments() const;

  void begin_step(std::span<const double> theta, std::span<const double> w);
  void add_public(std::span<const std::uint32_t> units, Gradients& gradients, Workers* workers);
  Result<ClippedSum> clipped_sum(const Privatizer& privatizer, Batch batch, Workers* workers);
  void add_released(const NoisySum& noisy, Gradients& gradients);

  /// The secret terms of these units, read exactly.
  void add_exact(std::span<const std::uint32_t> units, Gradients& gradients, Workers* workers);

  /// To the Frobenius ball of radius D, all conditions together.
  void project(std::span<double> w) const;

  /// The W that is best for the smoothed table.
  void respond(std::span<double> w) const;

  double lambda() const { return options_.lambda; }
  void set_lambda(double lambda) { options_.lambda = lambda; }
  const ErmiPenalty& penalty() const { return penalty_; }
  const JointTable& table() const { return table_; }
  const JointTable& decisions() const { return decisions_; }

  /// What noise on the sum of theta's contributions is multiplied with: lambda times the scale of
  /// the functionals, or 1 where the whole record is secret. It shrinks as the model becomes fair.
  double noise_scale() const { return public_features_ ? options_.lambda * functionals_.scale : 1; }

  /// The violation of hard decisions, as the smoothed table has it. Requires watch_decisions.
  double decision_violation() const {
    return penalty_.violation(decisions_.smoothed(), decisions_.smoothed_noise());
  }

  /// What has been gathered over `steps` steps, for checkpoints.
  std::vector<double> state() const;
  void restore(std::span<const double> state, std::uint64_t steps);

 private:
  /// Working memory of one worker, for one block of rows.
  struct Scratch {
    FactorBlock block;
    std::vector<double> outputs, f, f_sharp, f_hard, weights;
    std::vector<std::uint16_t> y;
    std::vector<std::uint32_t> conditions, cells;
  };
  /// What a task of the public part adds up.
  struct PublicSums {
    std::vector<double> theta, f, f_hard, weights;
  };

  void load(RowBlock block, Scratch& scratch) const;
  void add_public_rows(RowBlock block, Scratch& scratch, PublicSums& sums) const;
  void secret_rows(const std::vector<std::uint16_t>& s, RowBlock block, Scratch& scratch) const;
  std::size_t dense_size() const { return (options_.watch_decisions ? 2 : 1) * table_.sum_size(); }
  void add_sums(std::span<const double> theta, std::span<const double> table, double table_noise,
                double units, Gradients& gradients);

  const Dataset* data_;
  Network network_;
  ErmiPenalty penalty_;
  bool public_features_;
  FermiOptions options_;
  JointTable table_;
  JointTable decisions_;  ///< unused unless decisions are watched
  std::vector<std::uint32_t> condition_by_label_;
  UnitRows unit_rows_;

  std::vector<Scratch> scratch_;
  std::uint64_t steps_ = 0;
  std::vector<double> theta_, w_;  ///< of this step
  Functionals functionals_;
  std::vector<double> f_sums_, hard_sums_, weight_sums_;  ///< of this step's public batch
};

}  // namespace dpfermi
