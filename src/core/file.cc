#include "dpfermi/core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace dpfermi {
namespace fs = std::filesystem;
namespace {

Status flush_to_disk(const fs::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return failed(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  const int outcome = ::fsync(fd);
  const int reason = errno;
  ::close(fd);
  if (outcome != 0) return failed(fmt::format("{}: {}", path.string(), std::strerror(reason)));
  return {};
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

Status write_and_flush(const fs::path& temporary,
                       const std::function<Status(std::ostream&)>& produce) {
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  if (!out) return failed(std::strerror(errno));
  DPFERMI_TRY(produce(out));
  out.close();
  if (!out) return failed(errno != 0 ? std::strerror(errno) : "the disk may be full");
  return flush_to_disk(temporary);
}

}  // namespace

Status write_file_atomically(const fs::path& path, std::string_view contents) {
  return write_file_atomically(path, [&](std::ostream& out) -> Status {
    out.write(contents.data(), static_cast<std::streamsize>(contents.size()));
    return {};
  });
}

Status write_file_atomically(const fs::path& path,
                             const std::function<Status(std::ostream&)>& produce) {
  fs::path temporary = path;
  temporary += fmt::format(".tmp{}", ::getpid());
  errno = 0;
  std::error_code ignored;
  if (auto status = write_and_flush(temporary, produce); !status) {
    fs::remove(temporary, ignored);
    return failed(fmt::format("cannot write {}: {}", path.string(), status.error().message));
  }
  std::error_code error;
  fs::rename(temporary, path, error);
  if (error) {
    fs::remove(temporary, ignored);
    return failed(fmt::format("cannot write {}: {}", path.string(), error.message()));
  }
  return flush_to_disk(folder_of(path));
}

Result<std::string> read_text_file(const fs::path& path) {
  DPFERMI_TRY(check_readable_file(path));
  std::ifstream in(path, std::ios::binary);
  std::ostringstream contents;
  contents << in.rdbuf();
  if (!in) return failed(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  return std::move(contents).str();
}

Status check_readable_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return failed(fmt::format("{}: no such file", path.string()));
  if (fs::is_directory(status)) {
    return failed(
        fmt::format("{}: is a folder, not a file; name the file inside it", path.string()));
  }
  if (::access(path.c_str(), R_OK) != 0) {
    return failed(fmt::format("{}: {}", path.string(), std::strerror(errno)));
  }
  return {};
}

}  // namespace dpfermi
