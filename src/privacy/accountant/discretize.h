#pragma once

/// One step's privacy loss on a grid of spacing h, from above and from below.
///
/// Upper (connect the dots): the mass of a cell [jh, (j+1)h] moves to its two ends so that the
/// P-mass and the Q-mass of the cell are kept. That replaces the convex curve e^eps -> delta by its
/// chords, so every later composition can only be overestimated.
/// Lower (merging): neighbouring outcomes are merged until the ratio of their P- and Q-masses is
/// e^{(j+shift)h}. Merging is post-processing, so every composition is underestimated. Any shift is
/// sound; the one that keeps most of E[e^{theta L}] is the tightest near the saddle point theta.
/// Both are exact to second order in h. Rounding is charged against us on either side.

#include <vector>

#include "privacy/accountant/loss_pair.h"

namespace dpfermi::accountant {

/// A sub-probability on the points (first + i) h + offset, and on +infinity. What is missing to 1
/// stands for a loss of -infinity.
struct GridLoss {
  long first = 0;
  double offset = 0;
  std::vector<double> mass;
  double infinite = 0;
};

struct LossBracket {
  GridLoss upper;
  GridLoss lower;
};

/// The upper grid alone. Requires: h > 0, the tails in (0, 1/2).
GridLoss discretize_upper(const LossPair& pair, double h, TailMass tail);

/// Requires: h > 0, the tails in (0, 1/2), theta >= 0.
/// Ensures: the privacy profile of any composition that contains `pair` lies between those with
/// `lower` and with `upper` in its place.
/// Why: docs/proofs/tilted-bound.md, sections 1 and 2.
LossBracket discretize(const LossPair& pair, double h, TailMass tail, double theta);

/// The loss of the i-th point of a grid of spacing h.
double loss_of(const GridLoss& grid, std::size_t i, double h);

/// ln of the sum of mass e^{theta loss} over the finite points.
double log_moment(const GridLoss& grid, double theta, double h);

/// The spacing at which the loss of `pair` is a lattice, or 0 where it is not one. On that grid
/// discretize_lattice is exact, without any error of discretisation.
double lattice_step(const LossPair& pair);

/// As discretize for a kDiscreteGaussian pair and h = lattice_step(pair).
LossBracket discretize_lattice(const LossPair& pair, TailMass tail);

}  // namespace dpfermi::accountant
