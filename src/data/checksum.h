#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// The SHA-256 of a file, as 64 lower-case hexadecimal digits.
Result<std::string> sha256_of_file(const std::filesystem::path& path);

/// The same of bytes in memory.
Result<std::string> sha256_of_bytes(std::string_view bytes);

}  // namespace dpfermi
