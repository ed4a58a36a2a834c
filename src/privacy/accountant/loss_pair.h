#pragma once

/// The dominating pairs (P, Q) of one step, as laws of the privacy loss ln(dP/dQ).
///
/// Gaussian pairs live on one axis, in units of the noise's yardstick (distance or contribution):
///   kGaussian      N(1)                 against N(0)
///   kRemove        (1-q)N(0) + qN(1)    against N(0)
///   kAdd           N(0)                 against (1-q)N(0) + qN(-1)   (add, mirrored)
///   kSubstitution  (1-q)N(0) + qN(1)    against (1-q)N(0) + qN(-1)
/// all with variance sigma^2 and a loss that grows with x. kRevealed is kGaussian with probability
/// q and an uninformative outcome otherwise.

#include <cstdint>
#include <vector>

namespace dpfermi::accountant {

enum class PairKind {
  kGaussian,
  kRemove,
  kAdd,
  kSubstitution,
  kRevealed,
  kLaplace,  ///< sigma is the scale over the distance
  kPure,     ///< sigma is 1 / epsilon: the loss is +-1 / sigma, a coin of randomised response
  kDiscreteGaussian  ///< sigma in lattice steps, neighbours `shift` steps apart
};

struct LossPair {
  PairKind kind;
  double sigma;
  double q = 1;
  std::int64_t shift = 1;

  bool operator==(const LossPair&) const = default;
};

/// `count` repetitions of one pair.
struct Component {
  LossPair pair;
  std::uint64_t count;
};

/// Where a continuous pair is cut off: at most `left` and `right` of P lie beyond.
struct TailMass {
  double left;
  double right;
};

/// Weights of the means -1, 0 and +1 in one law of a Gaussian pair.
struct MixtureWeights {
  double minus;
  double zero;
  double plus;
};

bool is_gaussian_mixture(PairKind kind);

/// Whether no loss lies beyond +-1 / sigma, with atoms at both ends: kLaplace and kPure.
bool is_bounded(PairKind kind);

MixtureWeights p_weights(const LossPair& pair);
MixtureWeights q_weights(const LossPair& pair);

/// ln(dP/dQ) at x. Requires a Gaussian pair (for kRevealed: given that the record was sampled).
double loss_at(const LossPair& pair, double x);

/// The x of a given loss; -inf or +inf below or above every loss. Requires a Gaussian pair.
double point_of_loss(const LossPair& pair, double loss);

/// An interval of x outside which P has at most the given tails. Requires a Gaussian pair.
struct Range {
  double low;
  double high;
};
Range range_of(const LossPair& pair, TailMass tail);

/// The distribution of the loss under P as weighted points that integrate smooth functions almost
/// exactly: an estimate for choosing parameters and for the contour engine, not a bound.
struct LossNode {
  double weight;
  double loss;
};
std::vector<LossNode> loss_nodes(const LossPair& pair, TailMass tail);

/// The pmf of the discrete Gaussian at -radius..radius, normalised, with all but `tail` of its
/// mass.
std::vector<double> discrete_gaussian_pmf(double sigma, std::int64_t radius);
std::int64_t discrete_gaussian_radius(double sigma, double tail);

}  // namespace dpfermi::accountant
