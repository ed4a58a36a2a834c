#pragma once

/// The Ed25519 key that says whose statements are: beside a ledger, readable by its owner alone,
/// never part of an output. Its public half may be published. docs/export.md has the formats.

#include <filesystem>
#include <string>
#include <string_view>

#include "dpfermi/core/result.h"

namespace dpfermi::ledger {

/// Hex digits of a public key and of a signature.
inline constexpr std::size_t kPublicKeyDigits = 64;
inline constexpr std::size_t kSignatureDigits = 128;

std::filesystem::path signing_key_path(const std::filesystem::path& ledger);

/// Makes the key of a ledger; returns its public half, in hex. Refused where there is one already:
/// those who trust it would not trust another.
Result<std::string> make_signing_key(const std::filesystem::path& ledger);

/// Whether the ledger has one. It may be unreadable or damaged all the same.
bool has_signing_key(const std::filesystem::path& ledger);

struct Signed {
  std::string public_key;  ///< hex
  std::string signature;   ///< hex
};

/// Signs a message. Refuses a key that others can read.
Result<Signed> sign_message(const std::filesystem::path& ledger, std::string_view message);

/// The public half of the ledger's key, in hex.
Result<std::string> public_signing_key(const std::filesystem::path& ledger);

/// Whether `signature` is one of `message` by the owner of `public_key`. Both hex, of any length.
bool signature_fits(std::string_view message, std::string_view public_key,
                    std::string_view signature);

}  // namespace dpfermi::ledger
