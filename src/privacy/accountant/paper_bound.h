#pragma once

/// The privacy theorem of the DP-FERMI paper (label `prop: Fermi is dp`), kept for comparison: the
/// noise it prescribes and the epsilon it claims. Our own accounting never relies on it; what it
/// gets wrong is listed in docs/accounting.md.
///
/// The theorem's sigma is on the mean gradient over m records. For the sensitive attribute it is
/// z Delta with z = q sqrt(2 T ln(1/delta)) / epsilon and q = m/n.

#include <cstdint>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/adjacency.h"

namespace dpfermi {

struct PaperSetting {
  Adjacency adjacency;  ///< kSensitive, or kReplaceRecord for "all features"
  double records;       ///< n
  double batch;         ///< m
  std::uint64_t steps;  ///< T
  double rho;           ///< least share of any group
  double lipschitz;     ///< L_theta of the class probabilities
  double diameter;      ///< D, bound on the entries of W
  double labels;        ///< l
};

/// Standard deviations of the noise on the mean gradients.
struct PaperNoise {
  double sigma_theta;
  double sigma_w;
};

/// The noise for a claim of (epsilon, delta).
/// Requires: epsilon <= 2 ln(1/delta) and T >= (n sqrt(epsilon) / 2m)^2, the theorem's assumptions;
/// refused otherwise. add-remove-record is not covered by the theorem and refused.
Result<PaperNoise> paper_noise(const PaperSetting& setting, double epsilon, double delta);

/// The theorem in units of the sensitivity: epsilon = q sqrt(2 T ln(1/delta)) / z, z the noise over
/// the distance of neighbouring sums, and whether its assumptions hold there.
struct PaperClaim {
  double epsilon;
  bool assumptions_hold;
};
PaperClaim paper_claim(double q, double steps, double sigma_over_distance, double delta);

}  // namespace dpfermi
