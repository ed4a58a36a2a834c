#pragma once

#include <filesystem>
#include <string>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// The SHA-256 of a file, as 64 lower-case hexadecimal digits.
Result<std::string> sha256_of_file(const std::filesystem::path& path);

}  // namespace dpfermi
