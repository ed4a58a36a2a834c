#pragma once

/// Where a solver gets the secret part of its gradients from.

#include <cstdint>
#include <span>

#include "dpfermi/core/result.h"
#include "dpfermi/optimize/min_max_solver.h"
#include "dpfermi/privacy/mechanism/privatizer.h"
#include "dpfermi/privacy/statement.h"
#include "dpfermi/sample/poisson_sampler.h"

namespace dpfermi {

/// Poisson batches and the mechanism that releases their sums: one release of the permit a step.
class NoisyOracle {
 public:
  NoisyOracle(PoissonSampler sampler, Privatizer privatizer)
      : sampler_(std::move(sampler)), privatizer_(std::move(privatizer)) {}

  /// Passes over the batches and the noise of `count` steps: a run of a fixed seed goes on.
  void skip(std::uint64_t count) {
    sampler_.skip(count);
    privatizer_.skip(count);
  }

  Privatizer& privatizer() { return privatizer_; }

 protected:
  PoissonSampler& sampler() { return sampler_; }

  /// Adds the clipped and noised sum of the secret terms over a batch.
  template <MinMaxProblem Problem>
  Status add_noisy(Problem& problem, Batch batch, Gradients& gradients, Workers* workers) {
    DPFERMI_ASSIGN(ClippedSum sum, problem.clipped_sum(privatizer_, std::move(batch), workers));
    DPFERMI_ASSIGN(const NoisySum noisy, privatizer_.release(std::move(sum), workers));
    problem.add_released(noisy, gradients);
    return {};
  }

 private:
  PoissonSampler sampler_;
  Privatizer privatizer_;
};

/// Secret batches.
class PrivateOracle : public NoisyOracle {
 public:
  using NoisyOracle::NoisyOracle;

  template <MinMaxProblem Problem>
  Status add_secret(Problem& problem, std::span<const std::uint32_t>, Gradients& gradients,
                    Workers* workers) {
    DPFERMI_ASSIGN(Batch batch, sampler().next());
    return add_noisy(problem, std::move(batch), gradients, workers);
  }
};

/// Batches whose members are in the open, because public terms are taken from the same batch: those
/// terms, then the secret ones. For solvers without public batches of their own.
class RevealedOracle : public NoisyOracle {
 public:
  using NoisyOracle::NoisyOracle;

  template <MinMaxProblem Problem>
  Status add_secret(Problem& problem, std::span<const std::uint32_t>, Gradients& gradients,
                    Workers* workers) {
    DPFERMI_ASSIGN(RevealedBatch drawn, sampler().next_revealed());
    problem.add_public(drawn.members, gradients, workers);
    return add_noisy(problem, std::move(drawn.batch), gradients, workers);
  }
};

/// The secret terms of the public batch, read exactly: for methods that promise no privacy.
class ExactOracle {
 public:
  explicit ExactOracle(ExactRead read) : read_(read) {}

  template <MinMaxProblem Problem>
  Status add_secret(Problem& problem, std::span<const std::uint32_t> units, Gradients& gradients,
                    Workers* workers) {
    return problem.add_exact(read_, units, gradients, workers);
  }

 private:
  ExactRead read_;
};

/// For problems without secret terms: nothing is read.
class NoOracle {
 public:
  template <MinMaxProblem Problem>
  Status add_secret(Problem& problem, std::span<const std::uint32_t>, Gradients&, Workers*) {
    if constexpr (requires { problem.status(); }) return problem.status();
    return {};
  }
};

}  // namespace dpfermi
