#pragma once

/// How the solver (optimize/min_max_solver.h) treats w, and which of its iterates it returns.

namespace dpfermi {

enum class DualRule {
  kAscent,        ///< w <- Pi(w + eta_w g_w), as in the paper
  kBestResponse,  ///< w <- the problem's own answer
};

enum class IterateRule {
  kLast,
  kAverage,  ///< the mean of the last half: averages the noise of the steps away
  kRandom,   ///< uniformly random, the rule of the paper's theorem; which one is drawn beforehand
};

}  // namespace dpfermi
