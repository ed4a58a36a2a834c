#pragma once

/// The min-max problem of the paper's Algorithm 1 to the letter: mean loss + lambda psi with the
/// exact shares of the groups, noise on the gradients as they are. With m the expected batch, a
/// step on a batch B is
///
///   theta <- theta - eta_theta { 1/m sum_B [grad l_i + lambda grad psi_i] + lambda u_t },
///   W     <- Pi ( W + eta_w { lambda/m sum_B grad_W psi_i + V_t } ),
///
/// u_t ~ N(0, sigma_theta^2 I), V_t ~ N(0, sigma_w^2 I). Terms that read no group are added in the
/// open, from the same batch: who is in it can be seen.
///
/// Secret is what unit i adds through its group s (persons: the mean over their rows), given
/// (theta, W) and its condition c,
///   theta  J_i^T (2 b_s - 2 bbar_c),   b_r = W_r / sqrt(p_r), bbar_c the centre of the smallest
///          ball around them,
///   W      2 (e_s / sqrt(p_s) - g_c) F_i^T, g_c the centre of the smallest ball around
///          {e_r / sqrt(p_r)}.
/// The centres are the same whatever s is. They return with the public terms of the same batch, so
/// the step has exactly the paper's distribution, and the secret vectors are as short as can be.
/// A group without members adds nothing: 1/sqrt(0) counts as 0.

#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "data/unit_rows.h"
#include "dpfermi/optimize/min_max_solver.h"
#include "model/network.h"
#include "objective/ermi_penalty.h"

namespace dpfermi {

/// How long the secret vectors can be, over all W in the ball of radius D.
struct PaperBounds {
  double rho = 1;    ///< the least share of a group that has members, of any condition
  double w = 0;      ///< of the W part: 2 max_c (radius around {e_r / sqrt(p_r)}), as |F| <= 1
  double theta = 0;  ///< of the theta part, over L D: see paper_bounds
};

/// Requires: marginals of a notion whose conditions have weight w_c = pi_c.
/// Ensures: |2 J^T (b_r - bbar)| <= theta L D wherever |J| <= L and |W_c| <= D (Frobenius).
/// Why: theta = 2 min(radius of {e_r / sqrt(p_r)}, 1 / sqrt(2 rho)). b_r = W^T e_r / sqrt(p_r), and
/// a linear map enlarges a ball by its norm, at most D. The second: the centre of the smallest ball
/// is a mean of points at the same distance R, with weights a_r, none above 1/2; so R^2 = sum a_r
/// |b_r|^2 - |bbar|^2 <= 1/2 sum |b_r|^2 <= D^2 / (2 rho). It is half the theorem's m Delta_theta.
PaperBounds paper_bounds(const FairnessSetting& setting, const GroupMarginals& marginals);

struct PaperOptions {
  double lambda = 1;
  double batch = 1;         ///< m = q n
  double theta_bound = 1;   ///< longest secret vectors, in theta ...
  double w_bound = 1;       ///< ... and in W
  double theta_weight = 1;  ///< their shares of the norm; see paper_noise_multiplier
  double w_weight = 1;
  double w_radius = 1;  ///< D: each W_c is projected to the Frobenius ball of this radius
};

struct RowBlock;

class PaperProblem {
 public:
  /// The marginals are exact ones; p_{r|c} may be 0.
  PaperProblem(const Dataset& data, Network network, FairnessSetting setting,
               const GroupMarginals& marginals, PaperOptions options, std::size_t workers = 1);

  std::size_t theta_size() const { return network_.spec().parameter_count(); }
  std::size_t w_size() const { return setting_.w_size(); }

  /// Segments of the joint release: (theta, W).
  std::vector<Segment> segments() const;

  void begin_step(std::span<const double> theta, std::span<const double> w);
  /// Adds 1/m times the sum of the public terms, m being the expected size of the batch.
  void add_public(std::span<const std::uint32_t> units, Gradients& gradients, Workers* workers);
  Result<ClippedSum> clipped_sum(const Privatizer& privatizer, Batch batch, Workers* workers);
  void add_released(const NoisySum& noisy, Gradients& gradients);
  void project(std::span<double> w) const;

 private:
  /// Working memory of one worker, for one block of rows.
  struct Scratch {
    FactorBlock block;
    std::vector<double> outputs, f, weights;
    std::vector<std::uint16_t> y;
    std::vector<std::uint32_t> which;
  };
  /// What a task of the public part adds up.
  struct PublicSums {
    std::vector<double> theta, f;

    friend std::array<std::span<double>, 2> parts_of(PublicSums& sums) {
      return {sums.theta, sums.f};
    }
  };

  void load(RowBlock block, Scratch& scratch) const;
  void add_public_rows(RowBlock block, Scratch& scratch, PublicSums& sums) const;
  void add_public_w(std::span<const double> f_sums, std::span<double> gradient) const;
  void secret_rows(const std::vector<std::uint16_t>& s, RowBlock block, Scratch& scratch) const;
  void write_w(std::size_t c, std::size_t group, std::span<const double> f, double weight,
               std::span<double> out) const;

  const Dataset* data_;
  Network network_;
  FairnessSetting setting_;
  PaperOptions options_;
  std::vector<std::uint32_t> condition_by_label_;
  UnitRows unit_rows_;
  std::vector<double> inverse_roots_;  ///< conditions x k: 1/sqrt(p_r), 0 without members
  std::vector<double> centres_;        ///< conditions x k: g_c

  std::vector<Scratch> scratch_;
  std::vector<double> theta_, w_;          ///< of this step
  std::vector<double> common_, by_group_;  ///< functionals, as in objective/row_gradients.h
};

}  // namespace dpfermi
