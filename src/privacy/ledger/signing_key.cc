#include "privacy/ledger/signing_key.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <memory>

#include "privacy/ledger/hash.h"
#include "privacy/ledger/key_file.h"

namespace dpfermi::ledger {
namespace fs = std::filesystem;
namespace {

using KeyPointer = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using DigestPointer = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;

constexpr std::size_t kSeedBytes = 32;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

KeyPointer private_key(std::string_view seed) {
  return {EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, bytes_of(seed), seed.size()),
          &EVP_PKEY_free};
}

tl::unexpected<Error> openssl_failed() {
  return failed("OpenSSL could not use an Ed25519 key; check its installation");
}

Result<std::string> public_half(EVP_PKEY* key) {
  std::array<unsigned char, kPublicKeyDigits / 2> raw{};
  std::size_t size = raw.size();
  if (key == nullptr || EVP_PKEY_get_raw_public_key(key, raw.data(), &size) != 1) {
    return openssl_failed();
  }
  return to_hex({reinterpret_cast<const char*>(raw.data()), size});
}

Result<KeyPointer> read_private_key(const fs::path& ledger) {
  DPFERMI_ASSIGN(const std::string seed, read_secret(signing_key_path(ledger), kSeedBytes,
                                                     "'dpfermi ledger key' makes one"));
  KeyPointer key = private_key(seed);
  if (!key) return openssl_failed();
  return key;
}

}  // namespace

fs::path signing_key_path(const fs::path& ledger) {
  fs::path path = ledger;
  path += ".signing-key";
  return path;
}

bool has_signing_key(const fs::path& ledger) {
  std::error_code error;
  return fs::exists(signing_key_path(ledger), error);
}

Result<std::string> make_signing_key(const fs::path& ledger) {
  if (has_signing_key(ledger)) {
    return failed(
        fmt::format("{}: is there already, and those who trust it would not trust another; keep it",
                    signing_key_path(ledger).string()));
  }
  DPFERMI_ASSIGN(const std::string seed, random_hex(kSeedBytes));
  const KeyPointer key = private_key(from_hex(seed));
  DPFERMI_ASSIGN(std::string shown, public_half(key.get()));
  DPFERMI_TRY(write_new_secret(signing_key_path(ledger), seed + "\n"));
  return shown;
}

Result<Signed> sign_message(const fs::path& ledger, std::string_view message) {
  DPFERMI_ASSIGN(const KeyPointer key, read_private_key(ledger));
  Signed made;
  DPFERMI_ASSIGN(made.public_key, public_half(key.get()));
  const DigestPointer context{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
  std::array<unsigned char, kSignatureDigits / 2> raw{};
  std::size_t size = raw.size();
  if (!context || EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) != 1 ||
      EVP_DigestSign(context.get(), raw.data(), &size, bytes_of(message), message.size()) != 1) {
    return openssl_failed();
  }
  made.signature = to_hex({reinterpret_cast<const char*>(raw.data()), size});
  return made;
}

Result<std::string> public_signing_key(const fs::path& ledger) {
  DPFERMI_ASSIGN(const KeyPointer key, read_private_key(ledger));
  return public_half(key.get());
}

bool signature_fits(std::string_view message, std::string_view public_key,
                    std::string_view signature) {
  if (public_key.size() != kPublicKeyDigits || !is_hex(public_key)) return false;
  if (signature.size() != kSignatureDigits || !is_hex(signature)) return false;
  const std::string raw_key = from_hex(public_key);
  const std::string raw = from_hex(signature);
  const KeyPointer key{
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, bytes_of(raw_key), raw_key.size()),
      &EVP_PKEY_free};
  const DigestPointer context{EVP_MD_CTX_new(), &EVP_MD_CTX_free};
  return key && context &&
         EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), bytes_of(raw), raw.size(), bytes_of(message),
                          message.size()) == 1;
}

}  // namespace dpfermi::ledger
