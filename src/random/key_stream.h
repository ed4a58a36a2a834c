#pragma once

/// The words of one stream. Drawing cannot report an error at every word; instead a failure sticks.
/// After one (OpenSSL refused, the stream or the steps are used up, the process has forked) the
/// words come from a fixed public sequence, just so that loops end, and status() is an error for
/// ever. Code that turns words into results checks status() *after* drawing and before anything
/// leaves.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "dpfermi/core/result.h"
#include "dpfermi/random/key.h"

namespace dpfermi {

class KeyStream {
 public:
  /// AES-256-CTR from the given counter block; the last four bytes of `start` count 16-byte blocks
  /// and must not wrap.
  KeyStream(const KeyMaterial& key, const std::array<std::uint8_t, 16>& start);
  KeyStream(KeyStream&&) noexcept;
  KeyStream& operator=(KeyStream&&) noexcept;
  KeyStream(const KeyStream&) = delete;
  KeyStream& operator=(const KeyStream&) = delete;
  ~KeyStream();

  /// The next 64 bits, little endian.
  std::uint64_t next() {
    if (position_ == kBufferWords) refill();
    return buffer_[position_++];
  }

  /// The next bytes, in units of whole words: a partly used last word is dropped.
  void fill(std::span<std::uint8_t> bytes);

  /// Success as long as every word so far came from the key, in the process that made the key.
  [[nodiscard]] Status status() const;

 private:
  friend class NoiseLane;
  static constexpr std::size_t kBufferWords = 256;
  /// Words of the first refill; later ones double. Many streams serve a few words only.
  static constexpr std::size_t kFirstWords = 32;
  struct Cipher;

  void refill();
  void generate(std::span<std::uint8_t> bytes);
  void fail(const char* reason);

  std::unique_ptr<Cipher> cipher_;
  std::uint64_t blocks_left_ = 0;
  std::size_t position_ = kBufferWords;
  std::size_t refill_words_ = kFirstWords;
  const char* failure_ = nullptr;
  std::uint64_t fallback_ = 0;
  ForkGuard guard_;
  std::array<std::uint64_t, kBufferWords> buffer_{};
};

}  // namespace dpfermi
