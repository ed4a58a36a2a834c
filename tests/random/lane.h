#pragma once

/// Noise of fixed seeds and the words of a lane, for tests and benchmarks alone.

#include "dpfermi/random/noise_source.h"
#include "random/key_stream.h"

namespace dpfermi {

struct LaneForTests {
  static KeyStream stream(const NoiseLane& lane, std::uint64_t step, std::uint32_t block) {
    return lane.stream(step, block);
  }
};

namespace testing_support {

inline NoiseSource seeded_noise(std::uint64_t seed) {
  return NoiseSource(ReproducibleSeed::from_number(seed).value());
}

}  // namespace testing_support

}  // namespace dpfermi
