#pragma once

/// The certified accountant: bounds on epsilon(delta) and delta(epsilon) of an event that hold
/// whatever the rounding, truncation and discretisation.
///
/// With the privacy loss L = ln(dP/dQ) under P, delta(eps) = E_P[(1 - e^{eps - L})_+], and losses
/// of composed events add up. One step, Gaussian compositions and the revealed pair have closed
/// forms; everything else is discretised from above and from below, composed by an exponentially
/// tilted Fourier transform, and every error is added on the side where it hurts us. Both orders
/// of the neighbours count; the worse one is the answer.

#include <optional>
#include <string>
#include <string_view>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/event.h"

namespace dpfermi {

struct PldOptions {
  /// Wanted width of the bounds on epsilon, relative to max(1, epsilon).
  double tolerance = 1e-3;
  /// Makes the width relative to epsilon itself, below 1 too, as calibration does.
  bool relative = false;
  /// Compares with an independent engine (contour inversion) where that one converges quickly.
  bool cross_check = true;
  /// False sends everything through the grid, for tests.
  bool closed_forms = true;
};

/// The method of an upper bound that ignores sampling, where nothing else gives a smaller one.
inline constexpr std::string_view kFallback = "fallback, no amplification";

/// lower <= exact value <= upper, and how they were found.
struct CertifiedBound {
  double lower;
  double upper;
  std::string method;                    ///< "closed form", "grid", kFallback, or why it is trivial
  std::string direction;                 ///< "both" (equal), or the order of neighbours that binds
  std::size_t points = 0;                ///< of the transform, 0 without one
  std::optional<double> second_opinion;  ///< of the contour engine, unless it abstained
};

/// Requires: 0 <= delta <= 1; the event's adjacency is what the user was promised.
/// Ensures: the event is (upper, delta)-DP under its adjacency, and not (e, delta)-DP for any
/// e < lower by this pair; both may be infinite. Fails where two engines disagree.
/// Why: docs/proofs/tilted-bound.md; the pairs: docs/proofs/substitution-pair.md, revealed-pair.md.
Result<CertifiedBound> certified_epsilon(const PrivacyEvent& event, double delta,
                                         const PldOptions& options = {});

/// The same for delta at a given epsilon >= 0.
Result<CertifiedBound> certified_delta(const PrivacyEvent& event, double epsilon,
                                       const PldOptions& options = {});

}  // namespace dpfermi
