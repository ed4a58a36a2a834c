#pragma once

/// The place where a falling cost meets a target.

#include <functional>
#include <optional>

#include "dpfermi/core/result.h"

namespace dpfermi::accountant {

/// A point x with ln(cost / target) there.
struct Excess {
  double x;
  double excess;
};

/// Finds an x with cost(x) <= target, as small as the accuracy allows.
/// Requires: `excess` falls with x up to its own accuracy; low < start < high; slope < 0, about its
/// derivative at `start`.
/// Ensures: excess <= 0 at the result, which is above -close or within gap(x) of an x with
/// excess > 0. Nothing where not even `high` meets the target.
struct BoundarySearch {
  std::function<Result<double>(double)> excess;
  double low;
  double high;
  double start;
  double slope;
  double close = 3e-4;
  std::function<double(double)> gap = [](double) { return 1e-9; };

  Result<std::optional<Excess>> run() const;
};

}  // namespace dpfermi::accountant
