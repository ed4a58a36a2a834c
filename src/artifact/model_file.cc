#include "dpfermi/artifact/model_file.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstdint>
#include <fstream>
#include <optional>

#include "artifact/model_header.h"
#include "dpfermi/core/file.h"
#include "dpfermi/core/text.h"
#include "dpfermi/data/checksum.h"

namespace dpfermi {
namespace {

constexpr std::string_view kMagic = "dpfermi-model ";
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kLongestFirstLine = 64;
constexpr std::size_t kLongMessage = 400;
constexpr std::size_t kMostHeaderBytes = std::size_t{64} << 20;
constexpr std::size_t kMostFileBytes = std::size_t{4} << 30;
constexpr std::string_view kDigestMark = "\nsha256 ";
constexpr std::size_t kTrailerBytes = kDigestMark.size() + 64 + 1;

/// The parts of a file that is whole.
struct Pieces {
  std::string_view header;
  std::string_view parameters;
};

/// Digits only, without leading zeros: one way to write a number.
std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool all = error == std::errc() && end == text.data() + text.size();
  return all && fmt::format("{}", value) == text ? std::optional(value) : std::nullopt;
}

Result<std::uint64_t> header_bytes(std::string_view line) {
  const auto damaged = failed("its first line is damaged; copy the file again");
  line.remove_prefix(kMagic.size());
  const std::size_t blank = line.find(' ');
  const auto version = whole_number(line.substr(0, blank));
  if (!version) return damaged;
  if (*version > kVersion) {
    return failed(
        fmt::format("is a model file of version {}, this program reads version {}; use a newer "
                    "dpfermi",
                    *version, kVersion));
  }
  const auto bytes =
      blank == std::string_view::npos ? std::nullopt : whole_number(line.substr(blank + 1));
  if (*version != kVersion || !bytes) return damaged;
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

Result<Pieces> take_apart(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) {
    return failed("is not a model file; give one that dpfermi train --out wrote");
  }
  const std::size_t line_end = bytes.substr(0, kLongestFirstLine).find('\n');
  if (line_end == std::string_view::npos) {
    return failed("its first line is damaged; copy the file again");
  }
  DPFERMI_ASSIGN(const std::uint64_t length, header_bytes(bytes.substr(0, line_end)));
  const std::size_t begin = line_end + 1;
  if (bytes.size() < begin + length + 1 + kTrailerBytes) {
    return failed("is cut short; copy the file again");
  }
  DPFERMI_TRY(check_digest(bytes));
  const std::size_t end = begin + length;
  if (bytes[end] != '\n') return failed("its header does not end where it should; train again");
  return Pieces{bytes.substr(begin, length),
                bytes.substr(end + 1, bytes.size() - kTrailerBytes - end - 1)};
}

void append_float(std::string& bytes, float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  for (unsigned shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<char>(static_cast<unsigned char>(bits >> shift)));
  }
}

float float_at(std::string_view bytes, std::size_t index) {
  std::uint32_t bits = 0;
  for (std::size_t i = 4; i-- > 0;) {
    bits = bits << 8U | static_cast<unsigned char>(bytes[4 * index + i]);
  }
  return std::bit_cast<float>(bits);
}

Result<TrainedModel> put_together(const Pieces& pieces) {
  DPFERMI_ASSIGN(ModelHeader header, header_from_json(std::string(pieces.header)));
  const std::size_t held = pieces.parameters.size();
  if (held % 4 != 0 || held / 4 != header.parameters) {
    return failed(
        fmt::format("holds {} bytes of parameters, its header says {} numbers; train again", held,
                    header.parameters));
  }
  TrainedModel model = std::move(header.model);
  model.theta.reserve(held / 4);
  for (std::size_t i = 0; i < held / 4; ++i) {
    model.theta.push_back(float_at(pieces.parameters, i));
  }
  DPFERMI_TRY(check_model(model));
  return model;
}

Result<TrainedModel> decode(std::string_view bytes) {
  DPFERMI_ASSIGN(const Pieces pieces, take_apart(bytes));
  return put_together(pieces);
}

/// Stops early for what is no model: it may be endless.
Result<std::string> read_bytes(const std::filesystem::path& path) {
  DPFERMI_TRY(check_readable_file(path));
  std::ifstream in(path, std::ios::binary);
  std::string bytes;
  std::string block(std::size_t{1} << 16, '\0');
  while (in && bytes.size() <= kMostFileBytes) {
    in.read(block.data(), static_cast<std::streamsize>(block.size()));
    bytes.append(block, 0, static_cast<std::size_t>(in.gcount()));
    if (bytes.size() >= kMagic.size() && !bytes.starts_with(kMagic)) return bytes;
  }
  if (!in.eof()) {
    return failed(
        fmt::format("{}: could not be read, or is larger than any model file", path.string()));
  }
  return bytes;
}

}  // namespace

Result<std::string> encode_model(const TrainedModel& model) {
  DPFERMI_TRY(check_model(model));
  DPFERMI_ASSIGN(const std::string header, header_to_json(model));
  std::string bytes = fmt::format("{}{} {}\n{}\n", kMagic, kVersion, header.size(), header);
  bytes.reserve(bytes.size() + 4 * model.theta.size() + kTrailerBytes);
  for (const float value : model.theta) append_float(bytes, value);
  DPFERMI_ASSIGN(const std::string digest, sha256_of_bytes(bytes));
  bytes += fmt::format("{}{}\n", kDigestMark, digest);
  return bytes;
}

Result<TrainedModel> decode_model(std::string_view bytes, const std::string& origin) {
  auto model = decode(bytes);
  if (model) return model;
  // A complaint may quote the header, which may hold anything.
  return failed(fmt::format("{}: {}", origin, printable(model.error().message, kLongMessage)));
}

Status write_model(const TrainedModel& model, const std::filesystem::path& path) {
  DPFERMI_ASSIGN(const std::string bytes, encode_model(model));
  DPFERMI_TRY(decode_model(bytes, path.string()));
  return write_file_atomically(path, bytes);
}

Result<TrainedModel> read_model(const std::filesystem::path& path) {
  DPFERMI_ASSIGN(const std::string bytes, read_bytes(path));
  return decode_model(bytes, path.string());
}

}  // namespace dpfermi
