#pragma once

/// What the baselines that train by noisy gradient steps share: numbers from public quantities,
/// noise from a budget, batches and mechanism.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "baselines/private_run.h"
#include "dpfermi/optimize/min_max_solver.h"
#include "dpfermi/optimize/oracles.h"

namespace dpfermi {

/// How long [x, 1] is: as declared, else the root of one plus the number of columns read (every
/// number of unit variance, a one in every category). A scale, and no bound.
double feature_norm(const Dataset& data, const BaselineOptions& options);

/// Model, batches, steps, step size and clip norm as the rules of docs/defaults.md have them for
/// the loss alone: the same start for every baseline as for our own methods. Reads what the
/// adjacency leaves public; feature_norm() stands in for the bound where features are secret.
Result<TrainingPlan> starting_plan(const Dataset& data, const BaselineOptions& options);

/// The parts of a plan as a function of the noise multiplier of its steps.
using PartsOfNoise = std::function<Result<std::vector<PlannedPart>>(double noise_multiplier)>;

struct CalibratedRun {
  double noise_multiplier = 0;
  ChargedRun charge;
};

/// Finds the least noise at which all parts together cost options.epsilon at most, and charges it.
/// `total_variation`: as in charge_run.
Result<CalibratedRun> charge_calibrated(const PartsOfNoise& parts, const BaselineOptions& options,
                                        double delta, double total_variation,
                                        const NoiseSource& noise, StepLedger& ledger);

/// The mechanism of one Gaussian sum over all `units`, which is all that a run releases; charged.
struct OneRelease {
  Privatizer mechanism;
  double noise_multiplier;
  PrivacyStatement statement;
};
Result<OneRelease> charge_one_release(const std::string& purpose, const Segment& segment,
                                      std::size_t units, const BaselineOptions& options,
                                      double delta, NoiseSource& noise, StepLedger& ledger);

/// Sets a number of steps, and Poisson batches of this expected size, at most n.
void plan_small_steps(std::uint64_t steps, std::uint32_t batch, TrainingPlan& plan);

/// Units by condition and group, with noise of plan.counts_sigma, as shares of all units: at least
/// one unit and one standard deviation each. A person is counted by one of their rows.
Result<std::vector<double>> release_group_sizes(const Dataset& data, const TrainingPlan& plan,
                                                ReleasePermit permit, NoiseSource& noise);

/// The steps of a plan, as a part of the charge: one Gaussian a Poisson batch of rate plan.q.
Result<PlannedPart> step_part(const TrainingPlan& plan, double noise_multiplier);

/// How far `releases` noisy sums of `entries` numbers may be from the ideal ones, together.
double noise_precision(std::uint64_t releases, std::size_t entries);

/// Batches and mechanism of those steps.
Result<PrivateOracle> step_oracle(const TrainingPlan& plan, const Dataset& data,
                                  std::vector<Segment> segments, double noise_multiplier,
                                  ReleasePermit permit, NoiseSource& noise);

/// The step size at which the noise of all steps together moves an output by about
/// defaults::kNoiseWalk, where noise enters a gradient times `scale`.
double longest_step(const TrainingPlan& plan, double noise_multiplier, double scale);

/// The mean of the last half of the iterates of a run of plan.steps steps.
SolverOptions averaging_solver(const TrainingPlan& plan, StepSize rate);

/// A finished run of steps: refuses parameters that are not finite.
Result<TrainingResult> finish_baseline(const TrainingPlan& plan, const SolverState& state,
                                       const SolverOptions& solver, PrivacyStatement statement,
                                       double seconds);

/// A finished run of one release, for a regression.
Result<TrainingResult> finish_regression(const Dataset& data, const BaselineOptions& options,
                                         std::vector<double> theta, PrivacyStatement statement,
                                         double seconds);

/// Adds to the statement what a baseline under the record adjacencies takes for public.
void state_assumptions(const BaselineOptions& options, PrivacyStatement& statement);

}  // namespace dpfermi
