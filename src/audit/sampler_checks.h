#pragma once

/// T2: are secret batches drawn as they were charged, every unit in independently with probability
/// q? All p-values are exact binomial tails.

#include <cstdint>
#include <span>
#include <vector>

#include "audit/checks.h"
#include "audit/recording.h"

namespace dpfermi {

/// The batches of a run against the charged q:
///   how many are in, in all; how often |B| is near q n (a fixed size is always, Var|B| = 0);
///   every unit alone; pairs of units in one batch; the same unit in batches 1, 2 and 1/q steps
///   apart (shuffled batches do not meet within an epoch, and come round after it).
std::vector<Check> sampler_checks(const Recording& run);

/// Members of the public and of the secret batch of one step.
struct BatchPair {
  std::vector<std::uint32_t> open, secret;  ///< ascending
};

/// Whether the public batch reveals who is in the secret one: given it, its members are in with
/// probability q.
std::vector<Check> public_batch_checks(std::span<const BatchPair> steps, double q);

}  // namespace dpfermi
