#pragma once

/// The library names a setting as the field that holds it (core/result.h); people at the terminal
/// know it as a flag.

#include <optional>
#include <string>
#include <string_view>

namespace dpfermi::cli {

/// The flag that sets `field`; nothing where the tool has none.
std::optional<std::string> flag_of(std::string_view field);

/// The text with every field in backquotes replaced by its flag: "`max_violation` must" becomes
/// "--max-violation must". Other words in backquotes stay as they are.
std::string with_flags(std::string_view text);

}  // namespace dpfermi::cli
