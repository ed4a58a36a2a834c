#include "privacy/ledger/hash.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>

namespace dpfermi::ledger {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

}  // namespace

Result<std::string> sha256(std::string_view bytes) {
  std::string digest(kHashDigits / 2, '\0');
  if (EVP_Digest(bytes.data(), bytes.size(), reinterpret_cast<unsigned char*>(digest.data()),
                 nullptr, EVP_sha256(), nullptr) != 1) {
    return failed("the SHA-256 of OpenSSL failed; check the OpenSSL installation");
  }
  return to_hex(digest);
}

Result<std::string> hmac_sha256(std::string_view key, std::string_view bytes) {
  std::string digest(kHashDigits / 2, '\0');
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(),
           reinterpret_cast<unsigned char*>(digest.data()), nullptr) == nullptr) {
    return failed("the HMAC of OpenSSL failed; check the OpenSSL installation");
  }
  return to_hex(digest);
}

Result<std::string> random_hex(std::size_t bytes) {
  std::string random(bytes, '\0');
  if (RAND_priv_bytes(reinterpret_cast<unsigned char*>(random.data()), static_cast<int>(bytes)) !=
      1) {
    return failed("the random generator of OpenSSL failed; check the OpenSSL installation");
  }
  return to_hex(random);
}

std::string to_hex(std::string_view bytes) {
  std::string hex;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kHexDigits[byte >> 4U];
    hex += kHexDigits[byte & 15U];
  }
  return hex;
}

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(kHexDigits.find(hex[i]) * 16 + kHexDigits.find(hex[i + 1]));
  }
  return bytes;
}

bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return kHexDigits.find(c) != kHexDigits.npos; });
}

}  // namespace dpfermi::ledger
