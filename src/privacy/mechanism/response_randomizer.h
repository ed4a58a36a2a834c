#pragma once

/// Randomised response: every unit's own value, kept with probability
/// e^epsilon / (k - 1 + e^epsilon), exchanged for one of the others, all equally likely, otherwise.
/// Local privacy: an observer of all the answers learns about one unit no more than epsilon allows.

#include <cstdint>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger.h"
#include "dpfermi/privacy/protected.h"
#include "dpfermi/random/noise_source.h"

namespace dpfermi {

/// P(an answer is the truth), rounded down: e^epsilon / (k - 1 + e^epsilon). Requires k >= 2.
double keep_probability(std::size_t choices, double epsilon);

class ResponseRandomizer {
 public:
  /// The answers to `values`, each in [0, choices), of neighbours that differ in one value. Uses up
  /// the permit, which must be for one PureRelease of this epsilon and for noise like the lane's.
  /// Why it is epsilon-DP: a / ((N - a) / (k - 1)) <= e^epsilon for the integers of the coin (a in
  /// N keeps), as a / N is keep_probability rounded down.
  static Result<std::vector<std::uint16_t>> release(
      const Protected<std::vector<std::uint16_t>>& values, std::size_t choices, Adjacency adjacency,
      double epsilon, ReleasePermit permit, NoiseLane lane);
};

}  // namespace dpfermi
