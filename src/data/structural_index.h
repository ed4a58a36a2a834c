#pragma once

/// Where the characters lie that give a delimited text its structure. Finding them 64 bytes at a
/// time is what makes the reader fast; what they mean is decided later, record by record.

#include <cstdint>
#include <span>
#include <string_view>

namespace dpfermi {

/// Writes the ascending positions of every newline, double quote and `delimiter` of `text` to `out`
/// and returns how many. Requires: out.size() >= text.size() + 64, text.size() < 2^32.
std::size_t find_structurals(std::string_view text, char delimiter, std::span<std::uint32_t> out);

}  // namespace dpfermi
