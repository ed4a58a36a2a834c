#pragma once

/// Models from a proxy of s: full-batch L-BFGS on loss + lambda psi. Hard decisions are what is
/// judged, soft ones are what can be differentiated: psi is sharpened in stages, each starting
/// where the last one ended.

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/core/workers.h"
#include "dpfermi/sketch/proxy_objective.h"

namespace dpfermi {

struct ProxyTraining {
  std::vector<double> taus;           ///< stages of sharpness; empty: the default ones
  std::size_t most_iterations = 150;  ///< of a stage
};

struct ProxyFit {
  std::vector<double> theta;
  double lambda = 0;
  double violation = 0;  ///< of hard decisions, as the proxy has it
  std::size_t evaluations = 0;
};

/// Minimises loss + lambda psi from `theta` on.
Result<ProxyFit> fit_model(ProxyObjective& objective, std::vector<double> theta, double lambda,
                           const ProxyTraining& options, Workers* workers = nullptr);

/// The model of the smallest lambda whose violation, as the proxy has it, is at most `target`: by
/// doubling, then by halving the interval. Free, as everything that a proxy is asked. Where no
/// lambda up to 1000 gets there: the fairest of those that were tried.
Result<ProxyFit> fit_to_target(ProxyObjective& objective, const std::vector<double>& theta,
                               double target, const ProxyTraining& options,
                               Workers* workers = nullptr);

}  // namespace dpfermi
