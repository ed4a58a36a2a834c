#include "artifact/framed_file.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <fstream>
#include <optional>
#include <ostream>

#include "core/file.h"
#include "core/text.h"
#include "data/checksum.h"

namespace dpfermi {
namespace {

constexpr std::size_t kLongestFirstLine = 64;
constexpr std::size_t kLongMessage = 400;
constexpr std::size_t kMostHeaderBytes = std::size_t{64} << 20;
constexpr std::size_t kMostFileBytes = std::size_t{4} << 30;
constexpr std::string_view kDigestMark = "\nsha256 ";
constexpr std::size_t kTrailerBytes = kDigestMark.size() + 64 + 1;

/// Digits only, without leading zeros: one way to write a number.
std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool all = error == std::errc() && end == text.data() + text.size();
  return all && fmt::format("{}", value) == text ? std::optional(value) : std::nullopt;
}

std::string first_words(const FileKind& kind) {
  return fmt::format("{} ", kind.magic);
}

/// "a sketch, " where the bytes begin as another file of ours does: "dpfermi-sketch 1".
std::string other_kind(std::string_view bytes) {
  constexpr std::string_view kOurs = "dpfermi-";
  if (!bytes.starts_with(kOurs)) return "";
  bytes.remove_prefix(kOurs.size());
  const std::string_view word =
      bytes.substr(0, bytes.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
  return word.empty() || word.size() > kLongestFirstLine ? "" : fmt::format("a {}, ", word);
}

Result<std::uint64_t> header_bytes(const FileKind& kind, std::string_view line) {
  const auto damaged = failed("its first line is damaged; copy the file again");
  line.remove_prefix(first_words(kind).size());
  const std::size_t blank = line.find(' ');
  const auto version = whole_number(line.substr(0, blank));
  if (!version) return damaged;
  if (*version > kind.version) {
    return failed(
        fmt::format("is a {} of version {}, this program reads version {}; use a newer dpfermi",
                    kind.name, *version, kind.version));
  }
  const auto bytes =
      blank == std::string_view::npos ? std::nullopt : whole_number(line.substr(blank + 1));
  if (*version != kind.version || !bytes) return damaged;
  if (*bytes > kMostHeaderBytes) {
    return failed(fmt::format("its header claims {} bytes, {} at most; copy the file again", *bytes,
                              kMostHeaderBytes));
  }
  return *bytes;
}

Status check_digest(std::string_view bytes) {
  const std::string_view body = bytes.substr(0, bytes.size() - kTrailerBytes);
  DPFERMI_ASSIGN(const std::string digest, sha256_of_bytes(body));
  if (bytes.substr(body.size()) == fmt::format("{}{}\n", kDigestMark, digest)) return {};
  return failed("is cut short or damaged: its checksum does not match; copy the file again");
}

template <class Bits>
void append_bits(std::string& bytes, Bits bits) {
  for (std::size_t i = 0; i < sizeof bits; ++i) {
    bytes.push_back(static_cast<char>(static_cast<unsigned char>(bits >> (8 * i))));
  }
}

template <class Bits>
Bits bits_at(std::string_view bytes, std::size_t index) {
  Bits bits = 0;
  for (std::size_t i = sizeof bits; i-- > 0;) {
    bits =
        static_cast<Bits>(bits << 8U) | static_cast<unsigned char>(bytes[sizeof bits * index + i]);
  }
  return bits;
}

}  // namespace

Result<std::string> frame(const FileKind& kind, std::string_view header, std::string_view numbers) {
  std::string bytes = fmt::format("{}{} {}\n{}\n{}", first_words(kind), kind.version, header.size(),
                                  header, numbers);
  DPFERMI_ASSIGN(const std::string digest, sha256_of_bytes(bytes));
  bytes += fmt::format("{}{}\n", kDigestMark, digest);
  return bytes;
}

Status write_framed(const FileKind& kind, std::string header,
                    std::span<const std::string_view> arrays, std::size_t alignment,
                    std::ostream& out) {
  const auto begin = [&] {
    return fmt::format("{}{} {}\n{}\n", first_words(kind), kind.version, header.size(), header);
  };
  // One blank may lengthen the length itself: it is looked for, not computed.
  while (begin().size() % alignment != 0) header += ' ';
  Sha256 sum;
  const auto write = [&](std::string_view bytes) {
    sum.add(bytes);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
  write(begin());
  for (const std::string_view array : arrays) {
    write(array);
    write(std::string((alignment - array.size() % alignment) % alignment, '\0'));
  }
  DPFERMI_ASSIGN(const std::string digest, sum.finish());
  out << fmt::format("{}{}\n", kDigestMark, digest);
  return {};
}

Result<FramedParts> unframe(const FileKind& kind, std::string_view bytes) {
  if (!bytes.starts_with(first_words(kind))) {
    return failed(fmt::format("is {}not a {}; give one that {} wrote", other_kind(bytes), kind.name,
                              kind.writer));
  }
  const std::size_t line_end = bytes.substr(0, kLongestFirstLine).find('\n');
  if (line_end == std::string_view::npos) {
    return failed("its first line is damaged; copy the file again");
  }
  DPFERMI_ASSIGN(const std::uint64_t length, header_bytes(kind, bytes.substr(0, line_end)));
  const std::size_t begin = line_end + 1;
  if (bytes.size() < begin + length + 1 + kTrailerBytes) {
    return failed("is cut short; copy the file again");
  }
  DPFERMI_TRY(check_digest(bytes));
  const std::size_t end = begin + length;
  if (bytes[end] != '\n') return failed("its header does not end where it should; train again");
  return FramedParts{bytes.substr(begin, length),
                     bytes.substr(end + 1, bytes.size() - kTrailerBytes - end - 1)};
}

Result<std::string> read_framed(const FileKind& kind, const std::filesystem::path& path) {
  DPFERMI_TRY(check_readable_file(path));
  const std::string start = first_words(kind);
  std::ifstream in(path, std::ios::binary);
  std::string bytes;
  std::string block(std::size_t{1} << 16, '\0');
  while (in && bytes.size() <= kMostFileBytes) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    bytes.append(block, 0, static_cast<std::size_t>(in.gcount()));
    if (bytes.size() >= start.size() && !bytes.starts_with(start)) return bytes;
  }
  if (!in.eof()) {
    return failed(
        fmt::format("{}: could not be read, or is larger than any {}", path.string(), kind.name));
  }
  return bytes;
}

bool begins_as(const FileKind& kind, const std::filesystem::path& path) {
  std::string start(kind.magic.size(), '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return in && start == kind.magic;
}

Error in_file(const std::string& origin, const Error& error) {
  return {ErrorKind::kFailed,
          fmt::format("{}: {}", origin, printable(error.message, kLongMessage))};
}

void append_float(std::string& bytes, float value) {
  append_bits(bytes, std::bit_cast<std::uint32_t>(value));
}

float float_at(std::string_view bytes, std::size_t index) {
  return std::bit_cast<float>(bits_at<std::uint32_t>(bytes, index));
}

void append_double(std::string& bytes, double value) {
  append_bits(bytes, std::bit_cast<std::uint64_t>(value));
}

double double_at(std::string_view bytes, std::size_t index) {
  return std::bit_cast<double>(bits_at<std::uint64_t>(bytes, index));
}

}  // namespace dpfermi
