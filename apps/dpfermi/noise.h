#pragma once

#include <cstdint>
#include <optional>

#include "dpfermi/random/noise_source.h"

namespace dpfermi::cli {

/// Noise of a known seed, for tests, or of a fresh secret key.
Result<NoiseSource> noise_source(std::optional<std::uint64_t> seed);

}  // namespace dpfermi::cli
