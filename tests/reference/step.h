#pragma once

/// One step of DP-FERMI under adjacency `sensitive`, in plain loops and without the noise: what
/// each record adds to the secret sums, and what is made of the sums.
///
/// Only terms that touch a record's group are secret. With b_r = W_r / sqrt(p_r), made orthogonal
/// to the all-ones vector (the probabilities sum to one, so nothing is lost), the gradient of psi
/// holds
///
///   2/n sum_i (w_c/pi_c) J_i^T b_{s_i},   J_i = dF_i/dtheta, c the condition of row i.
///
/// It is centred at bbar_c, the centre of the smallest ball around {b_r}, of radius R_c, and
/// normalised by R = max_c (w_c/pi_c) R_c, so that the contribution is at most |J_i| long whatever
/// s_i is:
///
///   u_i = J_i^T (b_{s_i} - bbar_c) (w_c/pi_c) / R, clipped to C_theta;   0 where R = 0.
///
/// What centring took away is public and returns with the public batch; 2R returns on un-scaling;
/// lambda multiplies afterwards.
///
/// For W, the table E_c[e_s F^T] is centred in both directions,
///
///   v_i = (e_{s_i} - 1/k) (F_i - 1/l)^T, of norm at most sqrt(1 - 1/k) sqrt(1 - 1/l),
///
/// and what that took away follows from E_c F (public) and the marginals (released before):
///
///   P(j,r|c) = E_c v_rj + P(j|c)/k + p_{r|c}/l - 1/(kl).

#include <cstddef>
#include <vector>

#include "reference/model.h"
#include "reference/objective.h"

namespace dpfermi::reference {

struct Data {
  Vector x;  ///< n x d
  Rows rows;
};

/// Where the run stands: all of it public, or released.
struct State {
  Vector theta;
  Vector w;          ///< m x k x l
  Vector marginals;  ///< m x k
};

using Batch = std::vector<std::size_t>;

struct Centring {
  Vector b;           ///< m x k x l
  Vector centre;      ///< m x l: bbar_c
  Vector scale;       ///< m: w_c/pi_c, 0 where no row meets c
  double radius = 0;  ///< R
};

/// Reads the labels of `rows`, not the groups.
Centring centre_contributions(const Problem& problem, const Rows& rows, const State& state);

/// u_i before clipping, as long as theta, for the row x (d) with label y in group s.
Vector theta_contribution(const Problem& problem, const Model& model, const State& state,
                          const Centring& centring, const Vector& x, std::size_t y, std::size_t s);

/// v_i (k x l) for probabilities f (l) in group s.
Vector table_contribution(const Problem& problem, const Vector& f, std::size_t s);

/// v, shortened to length `norm` where it is longer.
Vector clip(const Vector& v, double norm);

/// What the noise is added to.
struct SecretSums {
  Vector theta;  ///< sum over the batch of clipped u_i
  Vector table;  ///< m x k x l: sum over the rows of the batch that meet c of v_i
};
SecretSums secret_sums(const Problem& problem, const Model& model, const State& state,
                       const Data& data, const Batch& secret, double clip_norm);

/// Estimates of what the sums over everybody would give.
struct Estimates {
  Vector theta;  ///< gradient of mean loss + lambda psi in theta
  Vector mean;   ///< m x l: P(j|c); uniform where no row of the public batch meets c
  Vector table;  ///< m x k x l: P(j,r|c)
  Vector w;      ///< m x k x l: gradient of lambda psi in W
};

/// `sums` are secret sums, noisy or not, of a batch that holds every row with probability q. The
/// public batch must not be empty.
Estimates estimate(const Problem& problem, const Model& model, const State& state, const Data& data,
                   const Batch& open, const SecretSums& sums, double q);

}  // namespace dpfermi::reference
