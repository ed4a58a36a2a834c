#pragma once

/// Files that are either whole or absent.

#include <filesystem>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// Replaces `path` in one step, by a file that is complete and flushed to disk: neither a reader
/// nor a crash ever sees a part of it, and nothing is left of an attempt that fails or is killed.
/// Keeps the permissions of a file that was there, follows links, and writes straight to what is no
/// file (a pipe, a device).
Status write_file_atomically(const std::filesystem::path& path, std::string_view contents);

/// As above for contents too large for memory: `produce` writes to the stream.
/// `access`: who may read a new one.
enum class FileAccess { kUsual, kOwnerOnly };
Status write_file_atomically(const std::filesystem::path& path,
                             const std::function<Status(std::ostream&)>& produce,
                             FileAccess access = FileAccess::kUsual);

/// The whole of a small text file.
Result<std::string> read_text_file(const std::filesystem::path& path);

/// "PATH: no such file", "PATH: is a folder, not a file" or the system's reason; what `path` needs
/// before it can be opened for reading.
Status check_readable_file(const std::filesystem::path& path);

}  // namespace dpfermi
