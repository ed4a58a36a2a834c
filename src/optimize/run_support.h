#pragma once

/// What the runs of all methods have in common.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <span>

#include "dpfermi/optimize/training.h"

namespace dpfermi {

/// Asks the ledger for the steps up to the next checkpoint.
class StepPermits {
 public:
  /// `block` is how many steps lie between checkpoints, 0 for none.
  StepPermits(StepLedger& ledger, std::uint64_t plan, std::size_t part, std::uint64_t steps,
              std::uint64_t block)
      : ledger_(&ledger),
        plan_(plan),
        part_(part),
        steps_(steps),
        block_(block == 0 ? steps : block) {}

  Result<ReleasePermit> from(std::uint64_t step) {
    return ledger_->claim(plan_, part_, step, std::min(block_, steps_ - step));
  }

 private:
  StepLedger* ledger_;
  std::uint64_t plan_;
  std::size_t part_;
  std::uint64_t steps_;
  std::uint64_t block_;
};

class Stopwatch {
 public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Tells whoever waits; false where they want the run to end.
inline bool report(const TrainingHooks& hooks, const TrainingPlan& plan, std::uint64_t step,
                   double lambda) {
  return !hooks.progress || hooks.progress({step, plan.steps, lambda});
}

inline Status check_finite(std::span<const double> theta) {
  if (std::ranges::all_of(theta, [](double value) { return std::isfinite(value); })) return {};
  return failed("training diverged; use a smaller --learning-rate or a smaller --lambda");
}

}  // namespace dpfermi
