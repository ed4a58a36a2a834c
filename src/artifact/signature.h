#pragma once

/// Detached signatures: FILE.sig says by which key FILE was signed.
///
///   dpfermi-signature 1
///   sha256 64 hexadecimal digits, of the whole file
///   key 64 hexadecimal digits, the public Ed25519 key
///   signature 128 hexadecimal digits, of the first two lines
///
/// A signature says who vouches for a file, not that what it says is true.

#include <filesystem>
#include <optional>
#include <string>

#include "dpfermi/core/result.h"

namespace dpfermi {

std::filesystem::path signature_path(const std::filesystem::path& file);

/// Writes FILE.sig by the signing key of a ledger (privacy/ledger/signing_key.h); returns the
/// public key.
Result<std::string> sign_file(const std::filesystem::path& file,
                              const std::filesystem::path& ledger);

/// Checks FILE.sig; returns the public key that signed. `key`, where given, is the public key that
/// is trusted, in hex. The message of a refusal says what does not fit.
Result<std::string> verify_signature(const std::filesystem::path& file,
                                     const std::optional<std::string>& key);

}  // namespace dpfermi
