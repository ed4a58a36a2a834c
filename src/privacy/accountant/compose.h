#pragma once

/// Composition of grid losses by one exponentially tilted Fourier transform, with every error
/// bounded: what lies outside the window or wraps around it, and the round-off of the transform.
/// Why: docs/proofs/tilted-bound.md, section 3.

#include <cstdint>
#include <span>
#include <vector>

#include "privacy/accountant/discretize.h"
#include "privacy/accountant/normal_tail.h"
#include "privacy/accountant/spectrum.h"

namespace dpfermi::accountant {

/// The tilt theta >= 0 and the part of the axis that the transform covers.
struct Window {
  double theta;
  double target;  ///< about the epsilon that is sought
  double low;     ///< low <= target <= high
  double high;
  double left_slope;  ///< Chernoff exponents that certify what lies outside
  double right_slope;
};

struct CountedLoss {
  LossBracket bracket;
  std::uint64_t count;
};

/// Bounds on delta(epsilon) of a composition. They are tight near the window's target and stay
/// valid, though loose, elsewhere.
class ComposedLoss {
 public:
  /// Requires: all parts on the grid of spacing h.
  ComposedLoss(std::span<const CountedLoss> parts, double h, const Window& window);

  double delta_upper(double epsilon) const;
  double delta_lower(double epsilon) const;

  /// An epsilon >= 0 with delta_upper(epsilon) <= delta, the smallest up to 1e-13; +infinity if
  /// the window has none.
  double epsilon_upper(double delta) const;
  /// An epsilon >= 0 with delta_lower(epsilon) >= delta, the largest up to 1e-13; 0 if the
  /// window has none.
  double epsilon_lower(double delta) const;

  /// Points of the transform.
  std::size_t size() const { return size_; }

 private:
  /// One side of the bracket.
  struct Side {
    bool is_upper;
    double offset = 0;                  ///< of the composed grid
    long start = 0;                     ///< grid index of the first point kept
    double log_scale = 0;               ///< ln of the product of all M_j(theta)^{T_j}
    double infinite = 0;                ///< composed mass at +infinity
    double outside = 0;                 ///< tilted mass outside the window
    SpectrumPair::Errors error{0, 0};   ///< of the tilted masses, by round-off
    double factor_error = 0;            ///< relative error of all tilted masses together
    std::vector<double> suffix{};       ///< sums of mass e^{-theta (L - target)}
    std::vector<double> suffix_down{};  ///< the same times e^{-(L - target)}
  };

  void prepare(Side& side, std::span<const CountedLoss> parts);
  void place(const GridLoss& grid, bool is_upper,
             std::vector<SpectrumPair::Complex>& sequence) const;
  void accumulate(Side& side, const SpectrumPair::Composed& composed);
  Approximate finite_part(const Side& side, double epsilon) const;

  double h_;
  Window window_;
  double least_;  ///< delta is evaluated from this epsilon on
  std::size_t size_;
  Side upper_{.is_upper = true};
  Side lower_{.is_upper = false};
};

}  // namespace dpfermi::accountant
