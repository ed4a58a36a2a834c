#pragma once

/// Files that are either whole or absent.

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// Writes `path` through a temporary file in the same folder, flushed to disk and then renamed, so
/// that a reader (or a crash) never sees a part of it.
Status write_file_atomically(const std::filesystem::path& path, std::string_view contents);

/// As above for contents too large for memory: `produce` writes to the stream. The first error of
/// the stream, or an error returned by `produce`, removes the temporary file.
Status write_file_atomically(const std::filesystem::path& path,
                             const std::function<Status(std::ostream&)>& produce);

/// The whole of a small text file.
Result<std::string> read_text_file(const std::filesystem::path& path);

/// "PATH: no such file", "PATH: is a folder, not a file" or the system's reason; what `path` needs
/// before it can be opened for reading.
Status check_readable_file(const std::filesystem::path& path);

}  // namespace dpfermi
