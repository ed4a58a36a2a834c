#pragma once

/// SHA-256, HMAC-SHA-256 and random bytes from OpenSSL, as lower-case hex text.

#include <cstddef>
#include <string>
#include <string_view>

#include "dpfermi/core/result.h"

namespace dpfermi::ledger {

/// Hex digits of a SHA-256 value.
inline constexpr std::size_t kHashDigits = 64;

Result<std::string> sha256(std::string_view bytes);
Result<std::string> hmac_sha256(std::string_view key, std::string_view bytes);
Result<std::string> random_hex(std::size_t bytes);

std::string to_hex(std::string_view bytes);
/// The bytes that `hex` spells. Requires: is_hex(hex) and an even length.
std::string from_hex(std::string_view hex);
/// Whether `text` is made of lower-case hex digits alone.
bool is_hex(std::string_view text);

}  // namespace dpfermi::ledger
