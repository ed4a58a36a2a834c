#include "noise.h"

namespace dpfermi::cli {

Result<NoiseSource> noise_source(std::optional<std::uint64_t> seed) {
  if (seed) {
    DPFERMI_ASSIGN(ReproducibleSeed key, ReproducibleSeed::from_number(*seed));
    return NoiseSource(std::move(key));
  }
  DPFERMI_ASSIGN(SecretKey key, SecretKey::from_os());
  return NoiseSource(std::move(key));
}

}  // namespace dpfermi::cli
