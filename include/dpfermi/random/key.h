#pragma once

/// Keys of the random streams. Whether noise is secret is decided here, once, by type: a SecretKey
/// comes from the operating system and gives privacy; a ReproducibleSeed is known to the person who
/// wrote it down and gives none. Both turn into a NoiseSource, which remembers which of the two it
/// was; everything drawn from it carries that stamp.

#include <array>
#include <cstdint>
#include <string_view>

#include "dpfermi/core/result.h"

namespace dpfermi {

enum class Reproducibility {
  kSecret,        ///< key from the operating system, forgotten after the run
  kReproducible,  ///< fixed seed: the noise can be recomputed and subtracted by anybody
};

/// "secret" or "reproducible, not private", as in statements, records and model files.
std::string_view to_string(Reproducibility reproducibility);

/// A forked child inherits the parent's key and position: both would draw the same noise, and the
/// difference of their releases would be free of it. Whatever draws randomness therefore belongs to
/// the process that made it.
class ForkGuard {
 public:
  /// Remembers the current process.
  ForkGuard();

  /// Whether this is still that process. A read of memory: the kernel wipes a page in every child.
  bool in_same_process() const;

 private:
  std::uint64_t generation_;
};

/// 256 key bits, overwritten when the object dies. Move-only, so that there is one copy to forget.
/// A key belongs to the process that made it: streams of it fail in a forked child.
class KeyMaterial {
 public:
  using Bytes = std::array<std::uint8_t, 32>;

  KeyMaterial() = default;
  explicit KeyMaterial(const Bytes& bytes) : bytes_(bytes) {}
  KeyMaterial(KeyMaterial&& other) noexcept;
  KeyMaterial& operator=(KeyMaterial&& other) noexcept;
  KeyMaterial(const KeyMaterial&) = delete;
  KeyMaterial& operator=(const KeyMaterial&) = delete;
  ~KeyMaterial();

  const Bytes& bytes() const { return bytes_; }
  const ForkGuard& guard() const { return guard_; }

 private:
  void wipe();

  Bytes bytes_{};
  ForkGuard guard_;
};

/// A fresh key that has never been shown. It can be neither printed nor stored nor chosen.
class SecretKey {
 public:
  /// 32 bytes from getrandom(2), waiting for the kernel's pool at boot. An error ends the run:
  /// there is no fallback.
  static Result<SecretKey> from_os();

 private:
  friend class NoiseSource;
  explicit SecretKey(KeyMaterial material) : material_(std::move(material)) {}

  KeyMaterial material_;
};

/// A chosen key, for tests and for reproducing experiments.
class ReproducibleSeed {
 public:
  /// The key is SHA-256 of a fixed label and the seed's eight bytes.
  static Result<ReproducibleSeed> from_number(std::uint64_t seed);

  /// The key itself, as in published test vectors.
  explicit ReproducibleSeed(const KeyMaterial::Bytes& key) : material_(key) {}

 private:
  friend class NoiseSource;
  explicit ReproducibleSeed(KeyMaterial material) : material_(std::move(material)) {}

  KeyMaterial material_;
};

}  // namespace dpfermi
