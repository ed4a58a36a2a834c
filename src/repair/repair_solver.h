#pragma once

/// Multipliers of a repair (repair/repair_problem.h), by L-BFGS on the dual with min and |.|
/// smoothed, in stages that sharpen: k l |C| numbers, a pass over the rows for each evaluation. The
/// gradient is how far the smoothed rates lie outside their band. What smoothing and ties leave of
/// the target is taken up by aiming lower.

#include "dpfermi/core/result.h"
#include "dpfermi/core/workers.h"
#include "repair/repair_problem.h"

namespace dpfermi {

/// Multipliers near the maximum of D. Requires 0 <= target < 1.
Result<std::vector<double>> solve_repair(const RepairProblem& problem, double target,
                                         Workers* workers = nullptr);

struct RepairFit {
  std::vector<double> mu;                ///< m x k x l
  std::vector<std::uint16_t> decisions;  ///< of the rule, about these rows
  double cost = 0;                       ///< of those, expected
  double violation = 0;                  ///< of those, by the proxy and the offsets
};

/// The deterministic rule of least expected cost among those tried whose violation is at most
/// `target`; where there is none, the fairest of them. Where the rule without multipliers is within
/// the target, it is that one.
Result<RepairFit> fit_repair(const RepairProblem& problem, double target,
                             Workers* workers = nullptr);

}  // namespace dpfermi
