#pragma once

/// Cumulants of the composed loss and the saddle point of the inversion integral: the estimates
/// from which grid, tilt and window are chosen.

#include <span>
#include <vector>

#include "privacy/accountant/loss_pair.h"

namespace dpfermi::accountant {

struct Cumulants {
  double value;   ///< K(theta) = sum_j T_j ln E_P[e^{theta L_j}]
  double first;   ///< K'
  double second;  ///< K''
};

/// The nodes of every component with its number of repetitions.
class NodeCumulants {
 public:
  NodeCumulants(std::span<const Component> components, TailMass tail);

  Cumulants at(double theta) const;

  struct Part {
    std::vector<LossNode> nodes;
    double count;
  };
  const std::vector<Part>& parts() const { return parts_; }

 private:
  std::vector<Part> parts_;
};

/// The point theta > 0 where e^{K(theta) - theta eps} / (theta (theta + 1)) is smallest, with the
/// epsilon it belongs to and the saddle-point value of ln delta(epsilon).
struct Saddle {
  double theta;
  double epsilon;
  double log_delta;
  double variance;  ///< K''(theta)
};

Saddle saddle_at(const NodeCumulants& cumulants, double theta);
Saddle saddle_for_delta(const NodeCumulants& cumulants, double delta);
Saddle saddle_for_epsilon(const NodeCumulants& cumulants, double epsilon);

}  // namespace dpfermi::accountant
