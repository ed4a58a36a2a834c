#include "dpfermi/random/noise_source.h"

#include <openssl/crypto.h>

#include <string>
#include <utility>

#include "core/mutant.h"
#include "core/team.h"
#include "random/key_stream.h"

namespace dpfermi {

struct NoiseLane::Shared {
  KeyMaterial key;
  Reproducibility reproducibility;
};

NoiseLane::NoiseLane(std::shared_ptr<const Shared> shared, Purpose purpose, Team* team)
    : shared_(std::move(shared)), purpose_(purpose), team_(team) {}
NoiseLane::NoiseLane(NoiseLane&&) noexcept = default;
NoiseLane& NoiseLane::operator=(NoiseLane&&) noexcept = default;
NoiseLane::~NoiseLane() = default;

KeyStream NoiseLane::stream(std::uint64_t step, std::uint32_t block) const {
  std::array<std::uint8_t, 16> start{};
  const auto put = [&start](std::size_t from, std::size_t bytes, std::uint64_t value) {
    for (std::size_t i = 0; i < bytes; ++i) {
      start.at(from + bytes - 1 - i) = static_cast<std::uint8_t>(value >> (8 * i));
    }
  };
  put(0, 2, static_cast<std::uint16_t>(purpose_));
  put(2, 6, step);
  put(8, 4, block);
  KeyStream stream(shared_->key, start);
  if (step > kMaxStep) stream.fail("the steps of one key are used up");
  return stream;
}

Reproducibility NoiseLane::reproducibility() const {
  return shared_->reproducibility;
}

NoiseSource::NoiseSource(KeyMaterial material, Reproducibility reproducibility)
    : shared_(std::make_shared<const NoiseLane::Shared>(
          NoiseLane::Shared{std::move(material), reproducibility})),
      team_(&Team::alone()) {}
NoiseSource::NoiseSource(SecretKey key)
    : NoiseSource(std::move(key.material_), Reproducibility::kSecret) {}
NoiseSource::NoiseSource(ReproducibleSeed seed)
    : NoiseSource(std::move(seed.material_), Reproducibility::kReproducible) {}

Result<NoiseLane> NoiseSource::open(Purpose purpose) {
  const auto number = static_cast<std::uint16_t>(purpose);
  if (number >= 64) {
    return usage_error("unknown purpose " + std::to_string(number) + " of a random stream");
  }
  const std::uint64_t bit = std::uint64_t{1} << number;
  if ((opened_ & bit) != 0 && !mutant(Mutant::kPublicPartOnSecretBatch) &&
      !mutant(Mutant::kQueriesOnSketchStream)) {
    return usage_error("the random streams of purpose " + std::to_string(number) +
                       " are already in use; noise must never be used twice, make a new key");
  }
  opened_ |= bit;
  const auto other = reseeded_.find(purpose);
  return NoiseLane(other == reseeded_.end() ? shared_ : other->second, purpose, team_);
}

Status NoiseSource::reseed(Purpose purpose, ReproducibleSeed seed) {
  if (reproducibility() == Reproducibility::kSecret) {
    return usage_error("a secret key serves all purposes; only fixed seeds can be exchanged");
  }
  if ((opened_ >> static_cast<std::uint16_t>(purpose) & 1) != 0) {
    return usage_error("the random streams are already in use; exchange their seed beforehand");
  }
  reseeded_[purpose] = std::make_shared<const NoiseLane::Shared>(
      NoiseLane::Shared{std::move(seed.material_), Reproducibility::kReproducible});
  return {};
}

Reproducibility NoiseSource::reproducibility() const {
  return shared_->reproducibility;
}

Status NoiseSource::share_with(Team& team) {
  team_ = &team;
  if (team.size() == 1 || reproducibility() == Reproducibility::kReproducible) return {};
  DPFERMI_ASSIGN(const SecretKey fresh, SecretKey::from_os());
  KeyMaterial::Bytes bytes = fresh.material_.bytes();
  const Status sent = hand_out(team, std::span(bytes));
  const auto shared = std::make_shared<const NoiseLane::Shared>(
      NoiseLane::Shared{KeyMaterial(bytes), Reproducibility::kSecret});
  OPENSSL_cleanse(bytes.data(), bytes.size());
  for (const Purpose purpose : {Purpose::kSecretBatch, Purpose::kPublicBatch,
                                Purpose::kInitialValues, Purpose::kSplit, Purpose::kIterate}) {
    reseeded_[purpose] = shared;
  }
  return sent;
}

Result<NoiseSource> make_noise_source(std::optional<std::uint64_t> seed) {
  if (seed) {
    DPFERMI_ASSIGN(ReproducibleSeed key, ReproducibleSeed::from_number(*seed));
    return NoiseSource(std::move(key));
  }
  DPFERMI_ASSIGN(SecretKey key, SecretKey::from_os());
  return NoiseSource(std::move(key));
}

Result<NoiseSource> make_noise_source(std::optional<std::uint64_t> seed, Team& team) {
  DPFERMI_ASSIGN(NoiseSource source, make_noise_source(seed));
  DPFERMI_TRY(source.share_with(team));
  return source;
}

}  // namespace dpfermi
