#pragma once

/// Models from a proxy of s: loss + lambda psi, minimised over all rows at once by L-BFGS or, for
/// models with hidden layers, over batches by Adam. Hard decisions are what is judged, soft ones
/// are what can be differentiated: psi is sharpened in stages, each starting where the last one
/// ended.

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/core/workers.h"
#include "sample/index_sampler.h"
#include "sketch/proxy_objective.h"
#include "sketch/sketch_defaults.h"

namespace dpfermi {

struct ProxyTraining {
  std::vector<double> taus;            ///< stages of sharpness; empty: the default ones
  std::size_t steps = 0;               ///< of a stage at most; 0: the usual number
  ShuffleSampler* batches = nullptr;   ///< of rows; nothing: all at once
  double rate = defaults::kProxyRate;  ///< of Adam at first; it falls to zero
  /// Lambda of a model for nearly the same problem, where theta is that model's: a search begins
  /// there. 0: it begins without a fairness term.
  double near = 0;
  /// Called after every step with the point reached; false ends training there.
  std::function<bool(std::span<const double> theta)> watch = {};
};

/// Steps of a stage where nobody says how many.
std::size_t usual_steps(std::uint64_t batches_per_epoch);

/// Steps that fit_model() and fit_to_target() take at most: the number of stages and the steps of
/// each are fixed beforehand.
std::size_t most_steps(const ProxyTraining& options, bool with_target);

struct ProxyFit {
  std::vector<double> theta;
  double lambda = 0;
  double violation = 0;         ///< of hard decisions, as the proxy has it
  std::size_t evaluations = 0;  ///< of a gradient, over all rows or over a batch
  bool stopped = false;         ///< by `watch`, before the end
};

/// Minimises loss + lambda psi from `theta` on.
Result<ProxyFit> fit_model(ProxyObjective& objective, std::vector<double> theta, double lambda,
                           const ProxyTraining& options, Workers* workers = nullptr);

/// A model whose violation, as the proxy has it, is at most `target`. With one condition it is that
/// of the smallest lambda, about: the search widens an interval, then halves it. Every model starts
/// from the one before and takes fewer steps than the first. With several conditions, each has a
/// weight of its own, which grows while its condition is above the target and falls while it is
/// below; of the models that get there it is the one of the smallest loss, and lambda is the sum of
/// its weights. Free, as everything that a proxy is asked. Where no lambda up to 1000 gets there:
/// the fairest of those that were tried.
Result<ProxyFit> fit_to_target(ProxyObjective& objective, const std::vector<double>& theta,
                               double target, const ProxyTraining& options,
                               Workers* workers = nullptr);

}  // namespace dpfermi
