#include "random/key_stream.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cassert>
#include <climits>
#include <cstring>
#include <string>
#include <utility>

namespace dpfermi {
namespace {

constexpr std::size_t kBlockBytes = 16;
constexpr std::uint64_t kBlocksPerStream = std::uint64_t{1} << 32;

/// Looking the cipher up by name costs more than a short stream; once per process is enough.
const EVP_CIPHER* aes_256_ctr() {
  static EVP_CIPHER* const cipher = EVP_CIPHER_fetch(nullptr, "AES-256-CTR", nullptr);
  return cipher;
}

std::uint64_t split_mix(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  std::uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

}  // namespace

struct KeyStream::Cipher {
  Cipher() : context(EVP_CIPHER_CTX_new()) {}
  ~Cipher() { EVP_CIPHER_CTX_free(context); }
  Cipher(const Cipher&) = delete;
  Cipher& operator=(const Cipher&) = delete;

  EVP_CIPHER_CTX* context;  // freeing it overwrites the expanded key
};

KeyStream::KeyStream(const KeyMaterial& key, const std::array<std::uint8_t, 16>& start)
    : cipher_(std::make_unique<Cipher>()), guard_(key.guard()) {
  if (cipher_->context == nullptr || aes_256_ctr() == nullptr ||
      EVP_EncryptInit_ex2(cipher_->context, aes_256_ctr(), key.bytes().data(), start.data(),
                          nullptr) != 1) {
    fail("OpenSSL offers no AES-256-CTR");
    return;
  }
  std::uint64_t first = 0;
  for (std::size_t i = 12; i < kBlockBytes; ++i) first = first << 8 | start.at(i);
  blocks_left_ = kBlocksPerStream - first;
}

KeyStream::KeyStream(KeyStream&&) noexcept = default;
KeyStream& KeyStream::operator=(KeyStream&&) noexcept = default;

KeyStream::~KeyStream() {
  OPENSSL_cleanse(buffer_.data(), sizeof buffer_);
}

void KeyStream::fail(const char* reason) {
  if (failure_ == nullptr) failure_ = reason;
}

void KeyStream::generate(std::span<std::uint8_t> bytes) {
  assert(bytes.size() <= INT_MAX);
  const std::uint64_t blocks = (bytes.size() + kBlockBytes - 1) / kBlockBytes;
  if (!guard_.in_same_process()) fail("the process has forked");
  if (failure_ == nullptr && blocks > blocks_left_) fail("the stream is exhausted");
  if (failure_ == nullptr) {
    std::ranges::fill(bytes, std::uint8_t{0});
    int written = 0;
    const int size = static_cast<int>(bytes.size());
    if (EVP_EncryptUpdate(cipher_->context, bytes.data(), &written, bytes.data(), size) != 1 ||
        written != size) {
      fail("OpenSSL failed to encrypt");
    }
    blocks_left_ -= blocks;
  }
  if (failure_ != nullptr) {
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(split_mix(fallback_));
  }
}

void KeyStream::refill() {
  auto* bytes = reinterpret_cast<std::uint8_t*>(buffer_.data());
  const std::uint64_t left = blocks_left_ * (kBlockBytes / sizeof(std::uint64_t));
  // The end of a stream is reached word by word, not a buffer early.
  const std::size_t words = left == 0 ? kBufferWords : std::min<std::uint64_t>(refill_words_, left);
  refill_words_ = std::min(2 * refill_words_, kBufferWords);
  position_ = kBufferWords - words;
  generate({bytes + position_ * sizeof(std::uint64_t), words * sizeof(std::uint64_t)});
}

void KeyStream::fill(std::span<std::uint8_t> bytes) {
  const std::size_t buffered = std::min((kBufferWords - position_) * 8, bytes.size());
  std::memcpy(bytes.data(), buffer_.data() + position_, buffered);
  position_ += (buffered + 7) / 8;
  bytes = bytes.subspan(buffered);
  const std::size_t whole = bytes.size() / kBlockBytes * kBlockBytes;
  if (whole > 0) generate(bytes.first(whole));
  bytes = bytes.subspan(whole);
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    const std::uint64_t word = next();
    std::memcpy(bytes.data() + i, &word, std::min<std::size_t>(8, bytes.size() - i));
  }
}

Status KeyStream::status() const {
  if (failure_ == nullptr && guard_.in_same_process()) return {};
  return failed("the random generator failed (" +
                std::string(failure_ != nullptr ? failure_ : "the process has forked") +
                "); nothing was released, start the run again");
}

}  // namespace dpfermi
