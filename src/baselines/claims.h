#pragma once

/// What the authors of a method would state for the very noise that a run has drawn: by their
/// neighbours, their accountant, and without what they leave out. Beside the certified epsilon it
/// shows how much of a published epsilon is a matter of definitions. Nothing rests on it.

#include <cstdint>
#include <vector>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// `count` Gaussian sums over Poisson batches of rate q (1: everybody), the noise in units of the
/// distance that is taken for the sensitivity.
struct ClaimedSums {
  double q = 1;
  double noise = 0;
  std::uint64_t count = 1;
};

/// As programs for DP-SGD account: records come or go, composition by Renyi divergences.
Result<double> renyi_claim(const std::vector<ClaimedSums>& sums, double delta);

/// The same neighbours, composed by privacy loss distributions.
Result<double> pld_claim(const std::vector<ClaimedSums>& sums, double delta);

/// One Gaussian by its classical theorem, noise = sqrt(2 ln(1.25/delta)) / epsilon.
double classical_claim(double noise, double delta);

}  // namespace dpfermi
