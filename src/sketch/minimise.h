#pragma once

/// Minimising a smooth function by L-BFGS (liblbfgs, docs/decisions/0004-sketch.md).

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "dpfermi/core/result.h"
#include "sketch/whitening.h"

namespace dpfermi {

/// The value at `x`; writes the gradient.
using SmoothFunction = std::function<double(std::span<const double> x, std::span<double> gradient)>;

struct MinimiseOptions {
  std::size_t most_iterations = 200;
  /// Ends when |gradient| <= gradient_tolerance max(1, |x|), in whitened coordinates where there
  /// are any ...
  double gradient_tolerance = 1e-5;
  /// ... or when `patience` iterations together improve the value by less than this share of it.
  double value_tolerance = 1e-6;
  std::size_t patience = 10;
  /// Called after every iteration with the point reached; false ends the search there.
  std::function<bool(std::span<const double> x)> watch = {};
  /// Coordinates to search in; nothing: those of x.
  const Whitening* whitening = nullptr;
};

struct Minimum {
  double value;
  std::size_t evaluations;
  bool stopped = false;  ///< by `watch`
};

/// Moves `x` to a point that is as good as the options ask for, or the best one that was found when
/// the line search can do no better. Fails where the function is not finite at the start.
Result<Minimum> minimise(const SmoothFunction& function, std::vector<double>& x,
                         const MinimiseOptions& options = {});

}  // namespace dpfermi
