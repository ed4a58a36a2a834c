#pragma once

/// Noise, sampling rate or number of steps for a given budget. Every answer was certified: the
/// upper bound on epsilon at the returned parameter is <= the target, never only an estimate.

#include <cstdint>
#include <functional>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/event.h"

namespace dpfermi {

/// An event as a function of one parameter (a noise multiplier, a sampling rate).
using EventFamily = std::function<Result<PrivacyEvent>(double)>;

struct Calibrated {
  double value;          ///< of the parameter
  double epsilon;        ///< certified upper bound there, <= the target
  double epsilon_lower;  ///< certified lower bound there
};

/// The smallest noise whose certified epsilon at `delta` is <= `epsilon`, to about 3e-4 in epsilon.
/// Requires: epsilon of the family falls as the parameter, 0 or in [1e-6, 1e12], grows; 0 <
/// epsilon, 0 <= delta < 1 (0 only helps where losses are bounded, as for Laplace). The family at 0
/// has no noise; the answer is 0 where even that is within the budget (nothing is released, or
/// epsilon is infinite). Where the accountant's grid is at its finest, the answer is certified but
/// may leave more of the budget unspent.
Result<Calibrated> calibrate_noise(const EventFamily& family, double epsilon, double delta);

/// The largest sampling rate in [0, 1] within the budget.
/// Requires: epsilon of the family grows with the rate.
Result<Calibrated> calibrate_rate(const EventFamily& family, double epsilon, double delta);

struct CalibratedSteps {
  std::uint64_t steps;
  double epsilon;
  double epsilon_lower;
};

/// The largest number of repetitions of `step` within the budget, after `first` (which may be an
/// empty Composition). Fails where `first` alone exceeds the budget; 0 where not one step fits.
Result<CalibratedSteps> calibrate_steps(const PrivacyEvent& first, const PrivacyEvent& step,
                                        double epsilon, double delta);

/// A budget for one first release (say, noisy group counts) and a number of equal steps.
struct SplitBudget {
  double first_noise;    ///< such that the first release alone costs share * epsilon
  double step_noise;     ///< such that everything together costs epsilon
  double first_epsilon;  ///< certified, alone
  double epsilon;        ///< certified, together, <= the target
};

/// Requires: 0 < share < 1; both families as for calibrate_noise.
/// Ensures: the composition of first(first_noise) and `steps` times step(step_noise) is certified
/// (epsilon, delta)-DP. The parts are composed, not added up: the steps get more than (1 - share).
Result<SplitBudget> split_budget(const EventFamily& first, const EventFamily& step,
                                 std::uint64_t steps, double share, double epsilon, double delta);

}  // namespace dpfermi
