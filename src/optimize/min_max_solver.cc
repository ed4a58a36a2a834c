#include "dpfermi/optimize/min_max_solver.h"

#include <cassert>

namespace dpfermi {
namespace {

/// The first step whose result counts for an average.
std::uint64_t first_averaged(const SolverOptions& options) {
  return options.steps - (options.steps + 1) / 2 + 1;
}

}  // namespace

void descend(std::span<const double> gradient, double rate, std::span<double> theta) {
  assert(gradient.size() == theta.size());
  for (std::size_t i = 0; i < theta.size(); ++i) theta[i] -= rate * gradient[i];
}

void keep_iterate(SolverState& state, const SolverOptions& options) {
  if (options.iterate == IterateRule::kAverage && state.step >= first_averaged(options)) {
    state.kept.resize(state.theta.size());
    for (std::size_t i = 0; i < state.theta.size(); ++i) state.kept[i] += state.theta[i];
  }
  if (options.iterate == IterateRule::kRandom && state.step == options.random_iterate) {
    state.kept = state.theta;
  }
}

std::vector<double> chosen_iterate(const SolverState& state, const SolverOptions& options) {
  // A run that was ended early may not have reached what it was to keep.
  if (state.kept.empty()) return state.theta;
  std::vector<double> theta = state.kept;
  if (options.iterate == IterateRule::kAverage) {
    const auto count = static_cast<double>(state.step - first_averaged(options) + 1);
    for (double& value : theta) value /= count;
  }
  return theta;
}

}  // namespace dpfermi
