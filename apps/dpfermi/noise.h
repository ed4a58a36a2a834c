#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "dpfermi/random/noise_source.h"

namespace dpfermi::cli {

/// The flag --seed.
void add_seed(CLI::App& verb, std::optional<std::uint64_t>& seed, const std::string& group);

/// Noise of a known seed, for tests, or of a fresh secret key.
Result<NoiseSource> noise_source(std::optional<std::uint64_t> seed);

}  // namespace dpfermi::cli
