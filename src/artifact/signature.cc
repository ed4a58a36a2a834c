#include "artifact/signature.h"

#include <fmt/format.h>

#include <sstream>

#include "core/file.h"
#include "core/text.h"
#include "data/checksum.h"
#include "privacy/ledger/signing_key.h"

namespace dpfermi {
namespace {

std::string signed_text(const std::string& digest) {
  return fmt::format("dpfermi-signature 1\nsha256 {}\n", digest);
}

struct SignatureFile {
  std::string digest, key, signature;
};

/// Only what sign_file writes is read: one text for one signature.
std::optional<SignatureFile> parse_signature(const std::string& text) {
  std::istringstream words(text);
  std::string magic, version, sha256, key, signature;
  SignatureFile parts;
  words >> magic >> version >> sha256 >> parts.digest >> key >> parts.key >> signature >>
      parts.signature;
  const std::string written =
      signed_text(parts.digest) + "key " + parts.key + "\nsignature " + parts.signature + "\n";
  return written == text ? std::optional(parts) : std::nullopt;
}

}  // namespace

std::filesystem::path signature_path(const std::filesystem::path& file) {
  std::filesystem::path path = file;
  path += ".sig";
  return path;
}

Result<std::string> sign_file(const std::filesystem::path& file,
                              const std::filesystem::path& ledger) {
  DPFERMI_ASSIGN(const std::string digest, sha256_of_file(file));
  const std::string text = signed_text(digest);
  DPFERMI_ASSIGN(const ledger::Signed made, ledger::sign_message(ledger, text));
  DPFERMI_TRY(write_file_atomically(
      signature_path(file),
      fmt::format("{}key {}\nsignature {}\n", text, made.public_key, made.signature)));
  return made.public_key;
}

Result<std::string> verify_signature(const std::filesystem::path& file,
                                     const std::optional<std::string>& key) {
  const std::string beside = printable(signature_path(file).string(), SIZE_MAX);
  DPFERMI_TRY(check_readable_file(signature_path(file)));
  DPFERMI_ASSIGN(const std::string text, read_text_file(signature_path(file)));
  const std::optional<SignatureFile> parts = parse_signature(text);
  if (!parts) {
    return failed(fmt::format("{}: is not a signature of dpfermi; ask for it again", beside));
  }
  DPFERMI_ASSIGN(const std::string digest, sha256_of_file(file));
  if (digest != parts->digest) {
    return failed(fmt::format(
        "{}: has changed since it was signed: its SHA-256 is {}, the signature is of {}",
        printable(file.string(), SIZE_MAX), digest, printable(parts->digest, 64)));
  }
  if (key && *key != parts->key) {
    return failed(fmt::format("{}: was made with the key {}, not with the trusted key {}", beside,
                              printable(parts->key, 64), printable(*key, 64)));
  }
  if (!ledger::signature_fits(signed_text(digest), parts->key, parts->signature)) {
    return failed(
        fmt::format("{}: the signature does not fit the digest and the key it names", beside));
  }
  return parts->key;
}

}  // namespace dpfermi
