#pragma once

/// The words of a lane, for tests and benchmarks alone.

#include "dpfermi/random/key_stream.h"
#include "dpfermi/random/noise_source.h"

namespace dpfermi {

struct LaneForTests {
  static KeyStream stream(const NoiseLane& lane, std::uint64_t step, std::uint32_t block) {
    return lane.stream(step, block);
  }
};

}  // namespace dpfermi
