#include "noise.h"

#include "cli.h"

namespace dpfermi::cli {

void add_seed(CLI::App& verb, std::optional<std::uint64_t>& seed, const std::string& group) {
  verb.add_option("--seed", seed, "Reproducible noise: for tests, NOT private")
      ->check(whole_number())
      ->group(group);
}

Result<NoiseSource> noise_source(std::optional<std::uint64_t> seed) {
  if (seed) {
    DPFERMI_ASSIGN(ReproducibleSeed key, ReproducibleSeed::from_number(*seed));
    return NoiseSource(std::move(key));
  }
  DPFERMI_ASSIGN(SecretKey key, SecretKey::from_os());
  return NoiseSource(std::move(key));
}

}  // namespace dpfermi::cli
