#pragma once

/// Algorithm 2: noisy stochastic gradient descent-ascent for any smooth problem
///
///   min_theta max_{w in W}  (1/n) sum_i f(theta, w; z_i),
///
/// a step being
///
///   1. the public part of both gradients, on a batch whose membership is public;
///   2. the secret part, from an oracle: sampled, clipped, summed and noised (PrivateOracle), or
///      read exactly where no privacy is promised (ExactOracle);
///   3. theta <- theta - eta_theta g_theta,  w <- Pi_W(w + eta_w g_w).
///
/// Algorithm 1 (DP-FERMI) is one instance, optimize/fermi_problem.h; examples/auc.cc is another.

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/core/workers.h"
#include "dpfermi/optimize/solver_rules.h"
#include "dpfermi/privacy/mechanism/privatizer.h"

namespace dpfermi {

/// Estimates of the gradients of f in theta and in w.
struct Gradients {
  std::vector<double> theta;
  std::vector<double> w;
};

/// What the solver needs to know about f. `add_public` and the sums below see the theta and w of
/// the last begin_step. Terms that read protected data belong to clipped_sum and nowhere else.
template <class P>
concept MinMaxProblem = requires(P& problem, const P& constant, std::span<const double> theta,
                                 std::span<double> w, std::span<const std::uint32_t> units,
                                 Gradients& gradients, const Privatizer& privatizer, Batch batch,
                                 const NoisySum& noisy, Workers* workers) {
  { constant.theta_size() } -> std::convertible_to<std::size_t>;
  { constant.w_size() } -> std::convertible_to<std::size_t>;
  {problem.begin_step(theta, w)};
  /// Adds the mean over `units` of the public terms.
  {problem.add_public(units, gradients, workers)};
  /// The clipped sum of the secret terms over a batch.
  {
    problem.clipped_sum(privatizer, std::move(batch), workers)
    } -> std::same_as<Result<ClippedSum>>;
  /// Adds what a released sum says about the gradients: un-scaled, over the expected batch.
  {problem.add_released(noisy, gradients)};
  /// Pi_W, in place.
  {problem.project(w)};
};

/// A problem that knows the best w, or a smoothed estimate of it, from what was released.
template <class P>
concept HasBestResponse = requires(P& problem, std::span<double> w) {
  {problem.respond(w)};
};

/// eta at step t of T.
using StepSize = std::function<double(std::uint64_t step)>;

struct SolverOptions {
  std::uint64_t steps = 0;  ///< T
  StepSize theta_rate;
  StepSize w_rate;  ///< read under kAscent only
  DualRule dual = DualRule::kAscent;
  IterateRule iterate = IterateRule::kLast;
  std::uint64_t random_iterate = 0;  ///< the step that kRandom keeps
};

/// Where a run stands after `step` steps: all of it public or released.
struct SolverState {
  std::uint64_t step = 0;
  std::vector<double> theta;
  std::vector<double> w;
  std::vector<double> kept;  ///< the sum of averaged iterates, or the random one
};

/// Called after every step; false ends the run early (what was planned stays charged).
using StepWatcher = std::function<bool(const SolverState&)>;

/// The public batches of a run, one call a step. Empty where there is no public part.
using PublicBatches = std::function<Result<std::vector<std::uint32_t>>()>;

/// The theta that the iterate rule chooses.
std::vector<double> chosen_iterate(const SolverState& state, const SolverOptions& options);

/// Updates `kept` after a step.
void keep_iterate(SolverState& state, const SolverOptions& options);

/// state.theta -= rate * gradient.
void descend(std::span<const double> gradient, double rate, std::span<double> theta);

/// Runs steps [state.step, options.steps).
template <MinMaxProblem Problem, class Oracle>
Status solve(Problem& problem, Oracle& oracle, const PublicBatches& batches,
             const SolverOptions& options, SolverState& state, const StepWatcher& observer = {},
             Workers* workers = nullptr) {
  Gradients gradients{std::vector<double>(problem.theta_size()),
                      std::vector<double>(problem.w_size())};
  while (state.step < options.steps) {
    const std::uint64_t t = state.step;
    problem.begin_step(state.theta, state.w);
    std::ranges::fill(gradients.theta, 0.0);
    std::ranges::fill(gradients.w, 0.0);
    std::vector<std::uint32_t> units;
    if (batches) {
      DPFERMI_ASSIGN(units, batches());
      problem.add_public(units, gradients, workers);
    }
    DPFERMI_TRY(oracle.add_secret(problem, units, gradients, workers));

    descend(gradients.theta, options.theta_rate(t), state.theta);
    bool answered = false;
    if constexpr (HasBestResponse<Problem>) {
      answered = options.dual == DualRule::kBestResponse;
      if (answered) problem.respond(state.w);
    }
    if (!answered) {
      descend(gradients.w, -options.w_rate(t), state.w);
      problem.project(state.w);
    }
    ++state.step;
    keep_iterate(state, options);
    if (observer && !observer(state)) break;
  }
  return {};
}

}  // namespace dpfermi
