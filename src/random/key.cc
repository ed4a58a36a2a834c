#include "dpfermi/random/key.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace dpfermi {

std::string_view to_string(Reproducibility reproducibility) {
  return reproducibility == Reproducibility::kSecret ? "secret" : "reproducible, not private";
}

KeyMaterial::KeyMaterial(KeyMaterial&& other) noexcept
    : bytes_(other.bytes_), guard_(other.guard_) {
  other.wipe();
}

KeyMaterial& KeyMaterial::operator=(KeyMaterial&& other) noexcept {
  if (this != &other) {
    bytes_ = other.bytes_;
    guard_ = other.guard_;
    other.wipe();
  }
  return *this;
}

KeyMaterial::~KeyMaterial() {
  wipe();
}

void KeyMaterial::wipe() {
  OPENSSL_cleanse(bytes_.data(), bytes_.size());
}

Result<SecretKey> SecretKey::from_os() {
  KeyMaterial::Bytes bytes{};
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = getrandom(bytes.data() + have, bytes.size() - have, 0);
    if (got > 0) {
      have += static_cast<std::size_t>(got);
    } else if (got == 0 || errno != EINTR) {
      const std::string reason = got == 0 ? "no data" : std::strerror(errno);
      OPENSSL_cleanse(bytes.data(), bytes.size());
      return failed("the operating system gave no random key (getrandom: " + reason +
                    "); without it there is no privacy, run on a system that provides getrandom");
    }
  }
  SecretKey key{KeyMaterial(bytes)};
  OPENSSL_cleanse(bytes.data(), bytes.size());
  return key;
}

Result<ReproducibleSeed> ReproducibleSeed::from_number(std::uint64_t seed) {
  constexpr std::string_view kLabel = "dpfermi reproducible seed 1";
  std::array<std::uint8_t, kLabel.size() + 8> input{};
  std::ranges::copy(kLabel, input.begin());
  for (std::size_t i = 0; i < 8; ++i) {
    input.at(kLabel.size() + i) = static_cast<std::uint8_t>(seed >> (8 * i));
  }
  KeyMaterial::Bytes digest{};
  unsigned length = 0;
  if (EVP_Digest(input.data(), input.size(), digest.data(), &length, EVP_sha256(), nullptr) != 1 ||
      length != digest.size()) {
    return failed("OpenSSL cannot compute SHA-256 for the seed; check the OpenSSL installation");
  }
  return ReproducibleSeed(digest);
}

}  // namespace dpfermi
