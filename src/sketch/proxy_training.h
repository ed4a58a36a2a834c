#pragma once

/// Models from a proxy of s: loss + lambda psi, minimised over all rows at once by L-BFGS or, for
/// models with hidden layers, over batches by Adam. Hard decisions are what is judged, soft ones
/// are what can be differentiated: psi is sharpened in stages, each starting where the last one
/// ended.

#include <cstddef>
#include <functional>
#include <optional>
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
  /// L-BFGS ends when several iterations together gain less than this share of the value, or when
  /// the gradient is shorter than ten times this, relative to theta.
  double tolerance = 1e-6;
  /// What a search for nearly the same problem found, where theta is its model's: this one begins
  /// there. Nothing: it begins without a fairness term.
  std::optional<RatePenalty> near = {};
  /// How far a rate keeps from the end of the range that the target leaves (m x k x l): rates that
  /// will be measured with noise are brought closer together. Empty: no further than into it.
  std::vector<double> margins = {};
  /// Called after every step with the point reached; false ends training there.
  std::function<bool(std::span<const double> theta)> watch = {};
};

/// Steps of a stage, by default.
std::size_t usual_steps(std::uint64_t batches_per_epoch);

/// Steps that fit_model() and fit_to_target() take at most: the number of stages and the steps of
/// each are fixed beforehand.
std::size_t most_steps(const ProxyTraining& options, bool with_target);

struct ProxyFit {
  std::vector<double> theta;
  double lambda = 0;
  double violation = 0;         ///< of hard decisions, as the proxy has it; with margins, if any
  std::size_t evaluations = 0;  ///< of a gradient, over all rows or over a batch
  bool stopped = false;         ///< by `watch`, before the end
  /// The penalty that made it, where it was found by a search.
  std::optional<RatePenalty> penalty = {};
  std::vector<double> start = {};  ///< the model without a fairness term that a search began with
};

/// Minimises loss + lambda psi from `theta` on.
Result<ProxyFit> fit_model(ProxyObjective& objective, std::vector<double> theta, double lambda,
                           const ProxyTraining& options, Workers* workers = nullptr);

/// The most accurate model found whose violation, as the proxy has it, is at most `target`; the
/// fairest where none is, or one on the line from it to the best constant where it is no better
/// than the free line (objective/free_line.h); the best constant where that is at least as
/// accurate. Instead of psi it minimises a RatePenalty whose weights move in rounds: the weight of
/// a rate grows while its hard rate is further than half the target from the middle of its
/// condition and class, its margin added, and falls while it is nearer. All multipliers of "no two
/// groups differ by more than the target" have this form; with many groups those of psi do not.
/// `lambda` is the sum of the weights over that of psi's. Every model starts from the one before
/// and takes fewer steps than the first. At the end models on the line from the one without a
/// fairness term to the one found are tried too. Free, as everything that a proxy is asked.
Result<ProxyFit> fit_to_target(ProxyObjective& objective, const std::vector<double>& theta,
                               double target, const ProxyTraining& options,
                               Workers* workers = nullptr);

}  // namespace dpfermi
