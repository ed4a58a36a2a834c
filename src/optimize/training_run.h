#pragma once

/// What the runs of all methods have in common: start, batches, permits, progress, end.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/stopwatch.h"
#include "dpfermi/privacy/mechanism/privatizer.h"
#include "optimize/training.h"

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

/// Reports progress; false if the caller asked to stop.
bool tell_progress(const TrainingHooks& hooks, const TrainingPlan& plan, const SolverState& state,
                   double lambda);

Status check_finite(std::span<const double> theta);

/// What a statement says of a plan with ideal_noise.
inline constexpr const char* kIdealNoise =
    "the last bits of the noise: epsilon is too large for their precision to be covered";

/// How a run without noise begins.
struct ExactOpening {
  PrivacyStatement statement;
  std::optional<ExactRead> read;  ///< where reads_exactly(plan)
};

/// Charges what the plan reads exactly: then nothing is promised. If that is nothing, nothing can
/// leak.
Result<ExactOpening> open_without_noise(const TrainingPlan& plan, StepLedger& ledger,
                                        Reproducibility noise);

/// The purpose of such a charge.
std::string without_noise(Method method);

/// theta_0.
Result<std::vector<double>> starting_parameters(const TrainingPlan& plan, NoiseSource& noise,
                                                const TrainingHooks& hooks);

/// Where a run begins: theta_0 and the given W_0, or where the checkpoint stands.
Result<SolverState> starting_state(const TrainingPlan& plan, std::vector<double> w,
                                   NoiseSource& noise, const TrainingHooks& hooks);

/// Step sizes, dual and iterate rule of the plan.
SolverOptions solver_options(const TrainingPlan& plan);

/// Batches of the public part, from step `first` on.
Result<PublicBatches> public_batches(const TrainingPlan& plan, const Dataset& data,
                                     NoiseSource& noise, std::uint64_t first);

/// Which iterate a random rule keeps, drawn before the run unless a checkpoint knows it.
Status draw_iterate(TrainingPlan& plan, NoiseSource& noise);

/// Where all permits are used up and steps are left: writes the checkpoint and asks for the next
/// block.
Status next_block(const TrainingHooks& hooks, const TrainingCheckpoint& checkpoint,
                  StepPermits& permits, Privatizer& privatizer);

/// What every run returns.
Result<TrainingResult> finish(const SolverState& state, const SolverOptions& options, double lambda,
                              double seconds, PrivacyStatement statement);

}  // namespace dpfermi
