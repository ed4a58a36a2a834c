#pragma once

/// How our binary files are laid out:
///
///   MAGIC VERSION HEADER_BYTES\n
///   a JSON header that people can read, HEADER_BYTES long\n
///   numbers\n
///   sha256 64 hexadecimal digits\n
///
/// The digest is of everything before the line break in front of it.

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// One kind of file, for its first line and for messages.
struct FileKind {
  std::string_view magic;   ///< "dpfermi-model"
  std::string_view name;    ///< "model file"
  std::string_view writer;  ///< what makes one: "dpfermi train --out"
  std::uint64_t version = 1;
};

/// Longest texts that a header keeps and that a card shows, in bytes.
inline constexpr std::size_t kHeaderText = 4096;
inline constexpr std::size_t kCardText = 400;

/// The parts of a file that is whole; they point into its bytes.
struct FramedParts {
  std::string_view header;
  std::string_view numbers;
};

Result<std::string> frame(const FileKind& kind, std::string_view header, std::string_view numbers);

/// The same straight to a stream, for numbers too large to be held twice. Each of the `arrays`
/// begins at a multiple of `alignment` bytes of the file: blanks end the header, zeros an array.
Status write_framed(const FileKind& kind, std::string header,
                    std::span<const std::string_view> arrays, std::size_t alignment,
                    std::ostream& out);

/// Refuses whatever is not a whole, undamaged file of this kind. Messages do not name the file.
Result<FramedParts> unframe(const FileKind& kind, std::string_view bytes);

/// The bytes of a file; stops early for what is not of this kind, which may be endless.
Result<std::string> read_framed(const FileKind& kind, const std::filesystem::path& path);

/// Whether the file at `path` begins as those of this kind do.
bool begins_as(const FileKind& kind, const std::filesystem::path& path);

/// `error` with the name of the file in front. It may quote the header, which may hold anything.
Error in_file(const std::string& origin, const Error& error);

/// IEEE numbers, little-endian: 4 bytes for a float, 8 for a double.
void append_float(std::string& bytes, float value);
float float_at(std::string_view bytes, std::size_t index);
void append_double(std::string& bytes, double value);
double double_at(std::string_view bytes, std::size_t index);

}  // namespace dpfermi
