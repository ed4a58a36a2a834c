#pragma once

/// Lanes of a fixed seed, and their words, for tests and benchmarks.

#include "dpfermi/random/key_stream.h"
#include "dpfermi/random/noise_source.h"

namespace dpfermi {

struct LaneForTests {
  static KeyStream stream(const NoiseLane& lane, std::uint64_t step, std::uint32_t block) {
    return lane.stream(step, block);
  }
};

}  // namespace dpfermi
