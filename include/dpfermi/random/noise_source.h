#pragma once

/// One key, many streams. The AES-256-CTR key stream of a run is cut into streams named by
/// (purpose, step, block); a stream can be opened in any order and on any thread and always holds
/// the same words, so results do not depend on the number of threads.
///
/// The 128-bit counter block is purpose (16 bits) | step (48) | block (32) | position (32), big
/// endian: distinct names never overlap, and one stream holds 64 GiB.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include "dpfermi/core/result.h"
#include "dpfermi/random/key.h"

namespace dpfermi {

/// What a stream is for. Values are part of what a fixed seed reproduces: never renumber them.
enum class Purpose : std::uint16_t {
  kGradientNoise = 1,  ///< the noise of training steps
  kCountsNoise = 2,    ///< the noise of group counts
  kSketchNoise = 3,    ///< the noise of one-off sums
  kSecretBatch = 4,    ///< membership of the batches that touch protected data
  kPublicBatch = 5,    ///< batches whose membership is public
  kInitialValues = 6,  ///< starting parameters of a model
  kSplit = 7,          ///< which units are held out
  kIterate = 8,        ///< which step's parameters a random rule keeps
  kResidualNoise = 9,  ///< the noise of residual queries
  kLaplaceNoise = 10,  ///< Laplace noise of one-off sums
  kResponses = 11,     ///< coins of randomised responses
};

class KeyStream;
class Team;  // core/team.h

/// All streams of one purpose. Move-only: there is one owner, who sees to it that no noise is used
/// twice. The words themselves go to privatisers and samplers only: who reads noise beforehand can
/// choose what to release, or take it off again.
class NoiseLane {
 public:
  static constexpr std::uint64_t kMaxStep = (std::uint64_t{1} << 48) - 1;

  NoiseLane(NoiseLane&&) noexcept;
  NoiseLane& operator=(NoiseLane&&) noexcept;
  NoiseLane(const NoiseLane&) = delete;
  NoiseLane& operator=(const NoiseLane&) = delete;
  ~NoiseLane();

  Purpose purpose() const { return purpose_; }
  Reproducibility reproducibility() const;

  /// step + count, or a step past kMaxStep where that is too large: counting never comes round.
  static constexpr std::uint64_t after(std::uint64_t step, std::uint64_t count) {
    return count > kMaxStep || step > kMaxStep - count ? kMaxStep + 1 : step + count;
  }

 private:
  friend class NoiseSource;
  friend class Privatizer;
  friend class CountsPrivatizer;
  friend class LaplacePrivatizer;
  friend class ResponseRandomizer;
  friend class PoissonSampler;
  friend class ShuffleSampler;
  friend class InitialParameters;
  friend struct LaneForTests;  // tests/random/lane.h

  /// The stream (purpose, step, block) at its beginning. Past kMaxStep it is a failed one.
  KeyStream stream(std::uint64_t step, std::uint32_t block) const;

  struct Shared;
  NoiseLane(std::shared_ptr<const Shared> shared, Purpose purpose, Team* team);

  /// Whose leader adds the noise.
  Team& team() const { return *team_; }

  std::shared_ptr<const Shared> shared_;
  Purpose purpose_;
  Team* team_;
};

/// The owner of a run's key. It hands out each purpose once, so two mechanisms cannot share noise.
class NoiseSource {
 public:
  explicit NoiseSource(SecretKey key);
  explicit NoiseSource(ReproducibleSeed seed);
  NoiseSource(NoiseSource&&) noexcept = default;
  NoiseSource& operator=(NoiseSource&&) noexcept = default;
  NoiseSource(const NoiseSource&) = delete;
  NoiseSource& operator=(const NoiseSource&) = delete;
  ~NoiseSource() = default;

  /// Refused (usage) when the purpose has been opened before.
  Result<NoiseLane> open(Purpose purpose);

  /// Takes the streams of one purpose from another seed: for rehearsals that vary one thing at a
  /// time. Refused for a secret key, and for a purpose that has been opened.
  Status reseed(Purpose purpose, ReproducibleSeed seed);

  Reproducibility reproducibility() const;

  /// Streams for the processes of a team. What is no noise (batches, starting values) is the same
  /// everywhere: of the seed, or of a second key that the leader hands out. The noise of a secret
  /// key is the leader's alone; what the others' lanes give is never used.
  Status share_with(Team& team);

 private:
  NoiseSource(KeyMaterial material, Reproducibility reproducibility);

  std::shared_ptr<const NoiseLane::Shared> shared_;
  Team* team_;
  std::uint64_t opened_ = 0;  ///< bit p: purpose p has been handed out
  std::map<Purpose, std::shared_ptr<const NoiseLane::Shared>> reseeded_;
};

/// Reproducible noise of a known seed, which is not private, or noise of a fresh secret key.
Result<NoiseSource> make_noise_source(std::optional<std::uint64_t> seed);

/// The same for every process of a team.
Result<NoiseSource> make_noise_source(std::optional<std::uint64_t> seed, Team& team);

}  // namespace dpfermi
