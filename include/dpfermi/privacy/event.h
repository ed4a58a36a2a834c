#pragma once

/// A PrivacyEvent describes what was released, never how much it costs: accountants take events and
/// answer with epsilon and delta, so that the sampler, the mechanism and the accounting cannot
/// disagree. Events are immutable trees; the meaning of an existing event never changes.
///
/// Units. A *contribution* is the vector one unit (record or person) adds to a sum; it has l2 norm
/// <= 1 after scaling. The *distance* is how far the sums of two neighbouring data sets lie apart.
/// One convention of sigma: the standard deviation of the noise on the sum.

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/adjacency.h"

namespace dpfermi {

class PrivacyEvent;

/// N(0, sigma^2 I) on a sum of known l2 distance.
struct GaussianRelease {
  double sigma_over_distance;
};

/// Laplace noise of scale b on a sum of known l1 distance.
struct LaplaceRelease {
  double scale_over_distance;
};

/// Discrete Gaussian noise of parameter sigma (in units of the integer lattice) on each coordinate
/// of an integer vector; neighbours differ by `shifts` (one entry per changed coordinate). Moving
/// one unit between two cells of a table is {1, 1}: two unit changes, not one of sqrt(2).
struct DiscreteGaussianRelease {
  double sigma;
  std::vector<std::int64_t> shifts;
};

/// Gaussian noise on the sum over a secret Poisson sample of rate q of contributions of norm <= 1;
/// sigma in units of that norm. The dominating pair follows from the adjacency: exchange gives
/// (1-q)N(0)+qN(1) against (1-q)N(0)+qN(-1), add/remove gives (1-q)N(0)+qN(1) against N(0).
struct PoissonGaussianRelease {
  double q;
  double noise_multiplier;
};

/// As above, where the sample's membership may be visible: (1-q)[out]+q N(0) against
/// (1-q)[out]+q N(distance), sigma in units of the distance.
struct RevealedPoissonGaussianRelease {
  double q;
  double sigma_over_distance;
};

/// Any release whose outcomes are at most e^epsilon times likelier for one neighbour than for the
/// other: randomised response, discrete Laplace noise, the exponential mechanism. Its dominating
/// pair is binary randomised response, the most revealing one of all (Kairouz, Oh, Viswanath 2015).
struct PureRelease {
  double epsilon;
};

/// A release without noise: epsilon is infinite.
struct ExactRelease {};

/// All children, each on the same data; later ones may depend on the outcomes of earlier ones.
struct Composition {
  std::vector<PrivacyEvent> parts;
};

/// `count` adaptive repetitions of one event.
struct Repetition {
  std::shared_ptr<const PrivacyEvent> part;
  std::uint64_t count;
};

class PrivacyEvent {
 public:
  using Node = std::variant<GaussianRelease, LaplaceRelease, DiscreteGaussianRelease,
                            PoissonGaussianRelease, RevealedPoissonGaussianRelease, PureRelease,
                            ExactRelease, Composition, Repetition>;

  /// Checks the parameters (finite, sigma >= 0, 0 <= q <= 1, shifts nonzero) and, for trees, that
  /// every part has this adjacency and none lies more than 63 levels deep.
  static Result<PrivacyEvent> create(Adjacency adjacency, Node node);

  /// `count` repetitions of this event; those of a repetition are counted together, up to 2^64 - 1.
  PrivacyEvent times(std::uint64_t count) const;

  Adjacency adjacency() const { return adjacency_; }
  const Node& node() const { return node_; }
  /// Levels of the tree; a release alone has 1. Bounded, so that trees can be walked recursively.
  int depth() const { return depth_; }

 private:
  static constexpr int kMostDepth = 64;

  PrivacyEvent(Adjacency adjacency, Node node, int depth)
      : adjacency_(adjacency), node_(std::move(node)), depth_(depth) {}

  Adjacency adjacency_;
  Node node_;
  int depth_;
};

/// One line for people: "6,600 x Poisson(q=0.0227) Gaussian(z=8.1)".
std::string describe(const PrivacyEvent& event);

/// A JSON text that parse_event reads back exactly. The format: docs/accounting.md. Unknown,
/// missing and doubled keys, counts that are not whole and conflicting adjacencies are refused.
std::string to_json(const PrivacyEvent& event);
Result<PrivacyEvent> parse_event(const std::string& json);

}  // namespace dpfermi
