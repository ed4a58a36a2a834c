#include "data/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "core/file.h"
#include "core/text.h"
#include "data/zip_archive.h"

namespace dpfermi {
namespace {

class FileSource final : public ByteSource {
 public:
  FileSource(std::string name, int fd) : ByteSource(std::move(name)), fd_(fd) {}
  ~FileSource() override {
    if (fd_ != STDIN_FILENO) ::close(fd_);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  std::size_t size_hint() const override {
    struct stat status {};
    return ::fstat(fd_, &status) == 0 && S_ISREG(status.st_mode)
               ? static_cast<std::size_t>(status.st_size)
               : 0;
  }

  Result<std::size_t> read(std::span<char> buffer) override {
    while (true) {
      const ssize_t got = ::read(fd_, buffer.data(), buffer.size());
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return failed(fmt::format("{}: {}", name(), std::strerror(errno)));
    }
  }

 private:
  int fd_;
};

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string name, std::string text)
      : ByteSource(std::move(name)), text_(std::move(text)) {}

  std::size_t size_hint() const override { return text_.size(); }

  Result<std::size_t> read(std::span<char> buffer) override {
    const std::size_t count = std::min(buffer.size(), text_.size() - position_);
    std::memcpy(buffer.data(), text_.data() + position_, count);
    position_ += count;
    return count;
  }

 private:
  std::string text_;
  std::size_t position_ = 0;
};

/// Hands out bytes that were read ahead, then the rest of the source.
class PrefixedSource final : public ByteSource {
 public:
  PrefixedSource(std::string prefix, std::unique_ptr<ByteSource> rest)
      : ByteSource(rest->name()), prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  std::size_t size_hint() const override { return rest_->size_hint(); }

  Result<std::size_t> read(std::span<char> buffer) override {
    if (position_ == prefix_.size()) return rest_->read(buffer);
    const std::size_t count = std::min(buffer.size(), prefix_.size() - position_);
    std::memcpy(buffer.data(), prefix_.data() + position_, count);
    position_ += count;
    return count;
  }

 private:
  std::string prefix_;
  std::size_t position_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<ByteSource> packed)
      : ByteSource(packed->name()), packed_(std::move(packed)) {
    constexpr int kGzipOnly = 15 + 16;
    ready_ = ::inflateInit2(&stream_, kGzipOnly) == Z_OK;
  }
  ~GzipSource() override { ::inflateEnd(&stream_); }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  Result<std::size_t> read(std::span<char> buffer) override {
    if (!ready_) return failed(fmt::format("{}: zlib could not start", name()));
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(buffer.size());
    while (stream_.avail_out == buffer.size()) {
      if (stream_.avail_in == 0) {
        DPFERMI_ASSIGN(const std::size_t got, packed_->read(input_));
        if (got == 0) return at_end_of_input();
        stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
        stream_.avail_in = static_cast<uInt>(got);
      }
      DPFERMI_TRY(inflate_some());
    }
    return buffer.size() - stream_.avail_out;
  }

 private:
  /// Gzip files may be several members in a row (as from `cat a.gz b.gz`).
  Status inflate_some() {
    if (between_members_) {
      ::inflateReset(&stream_);
      between_members_ = false;
    }
    const int outcome = ::inflate(&stream_, Z_NO_FLUSH);
    if (outcome == Z_STREAM_END) {
      between_members_ = true;
    } else if (outcome != Z_OK && outcome != Z_BUF_ERROR) {
      return failed(
          fmt::format("{}: the gzip data is damaged ({}); copy or download the file again", name(),
                      stream_.msg != nullptr ? stream_.msg : "unreadable"));
    }
    return {};
  }

  Result<std::size_t> at_end_of_input() const {
    if (between_members_) return 0;
    return failed(
        fmt::format("{}: the gzip data is cut short; copy or download the file again", name()));
  }

  std::unique_ptr<ByteSource> packed_;
  std::vector<char> input_ = std::vector<char>(1 << 16);
  z_stream stream_{};
  bool ready_ = false;
  bool between_members_ = false;
};

Result<std::unique_ptr<ByteSource>> unpack_if_gzip(std::unique_ptr<ByteSource> source) {
  std::string head;
  while (head.size() < 2) {
    std::array<char, 2> bytes{};
    DPFERMI_ASSIGN(const std::size_t got, source->read(std::span(bytes).first(2 - head.size())));
    if (got == 0) break;
    head.append(bytes.data(), got);
  }
  const bool is_gzip = head == "\x1f\x8b";
  std::unique_ptr<ByteSource> whole =
      std::make_unique<PrefixedSource>(std::move(head), std::move(source));
  if (!is_gzip) return whole;
  return std::make_unique<GzipSource>(std::move(whole));
}

/// The file of a zip file that holds one.
Result<std::unique_ptr<ByteSource>> open_only_member(const std::string& path) {
  DPFERMI_ASSIGN(const ZipArchive archive, ZipArchive::open(path));
  std::vector<std::string> files = archive.names();
  std::erase_if(files, [](const std::string& name) { return name.ends_with('/'); });
  if (files.size() != 1) {
    constexpr std::size_t kShown = 5;
    std::string shown;
    for (std::size_t i = 0; i < std::min(files.size(), kShown); ++i) {
      shown += fmt::format("{}{}/{}", i == 0 ? "" : ", ", path, printable(files[i]));
    }
    return usage_error(fmt::format("{}: holds {}; name one: {}{}", path,
                                   counted(files.size(), "file"), shown,
                                   files.size() > kShown ? ", ..." : ""));
  }
  DPFERMI_ASSIGN(std::string text, archive.read(files.front()));
  return memory_source(path, std::move(text));
}

}  // namespace

Result<std::unique_ptr<ByteSource>> open_source(const std::string& path) {
  if (path == "-") {
    return unpack_if_gzip(std::make_unique<FileSource>("standard input", STDIN_FILENO));
  }
  if (const std::size_t inside = path.find(".zip/"); inside != std::string::npos) {
    const std::size_t end = inside + 4;
    if (std::error_code ignored; std::filesystem::is_regular_file(path.substr(0, end), ignored)) {
      DPFERMI_ASSIGN(const ZipArchive archive, ZipArchive::open(path.substr(0, end)));
      DPFERMI_ASSIGN(std::string text, archive.read(path.substr(end + 1)));
      return memory_source(path, std::move(text));
    }
  }
  DPFERMI_TRY(check_readable_file(path));
  if (path.ends_with(".zip")) return open_only_member(path);
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return failed(fmt::format("{}: {}", path, std::strerror(errno)));
  return unpack_if_gzip(std::make_unique<FileSource>(path, fd));
}

std::unique_ptr<ByteSource> memory_source(std::string name, std::string text) {
  return std::make_unique<MemorySource>(std::move(name), std::move(text));
}

}  // namespace dpfermi
