#pragma once

/// Where the true violation of a model's hard decisions on its training rows lies, from what was
/// released (sketch/violation_bounds.h computes it).

namespace dpfermi {

struct ViolationInterval {
  double low = 0;
  double high = 1;
  double confidence = 0.95;
  /// No query was about this model: the interval holds if s given x and c follows the sketch's
  /// exponential family, and says nothing about interactions that phi lacks.
  bool by_proxy = false;
};

}  // namespace dpfermi
