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
  std::size_t free_steps = 0;          ///< of the stage without a fairness term; 0: as the others
  ShuffleSampler* batches = nullptr;   ///< of rows; nothing: all at once
  double rate = defaults::kProxyRate;  ///< of Adam at first; it falls to zero
  /// Called after every step with the point reached; false ends training there.
  std::function<bool(std::span<const double> theta)> watch;
};

/// Steps of a stage where nobody says how many.
std::size_t usual_steps(std::uint64_t batches_per_epoch);

/// Iterations of a search for a target at most, over all rows at once and beyond those of the model
/// without a fairness term.
std::size_t most_search_steps();

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

/// The most accurate model found whose violation, as the proxy has it, is at most `target`; the
/// fairest where none is; the best constant where that is at least as accurate. Instead of psi it
/// minimises a RatePenalty whose weights move in rounds: the weight of a rate grows while its hard
/// rate is further than half the target from the middle of its condition and class, and falls while
/// it is nearer. All multipliers of "no two groups differ by more than the target" have this form;
/// with many groups those of psi do not. `lambda` is the sum of the weights over that of psi's.
/// Free, as everything that a proxy is asked.
Result<ProxyFit> fit_to_target(ProxyObjective& objective, const std::vector<double>& theta,
                               double target, const ProxyTraining& options,
                               Workers* workers = nullptr);

}  // namespace dpfermi
