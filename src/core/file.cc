#include "core/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace dpfermi {
namespace fs = std::filesystem;
namespace {

using Produce = std::function<Status(std::ostream&)>;

std::string system_reason() {
  return errno != 0 ? std::strerror(errno) : "the disk may be full";
}

/// An open file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  bool is_open() const { return fd_ >= 0; }
  int get() const { return fd_; }
  std::string link() const { return fmt::format("/proc/self/fd/{}", fd_); }

 private:
  int fd_;
};

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

Status write_to(const std::string& path, const Produce& produce) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) return failed(system_reason());
  DPFERMI_TRY(produce(out));
  out.close();
  if (!out) return failed(system_reason());
  return {};
}

Status sync(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.is_open() || ::fsync(file.get()) != 0) return failed(system_reason());
  return {};
}

/// The permissions of the file that is to be replaced, or those of a new one.
mode_t mode_for(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return status.st_mode & 07777U;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666U & ~mask;
}

/// Writes `temporary` such that it exists only when it is complete: a file without a name vanishes
/// with the process, however that ends. Where the file system has no such files, a named one.
Status write_complete(const fs::path& temporary, mode_t mode, const Produce& produce) {
  const Descriptor unnamed(
      ::open(folder_of(temporary).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  DPFERMI_TRY(write_to(unnamed.is_open() ? unnamed.link() : temporary.string(), produce));
  if (unnamed.is_open()) {
    if (::fsync(unnamed.get()) != 0 || ::fchmod(unnamed.get(), mode) != 0 ||
        ::linkat(AT_FDCWD, unnamed.link().c_str(), AT_FDCWD, temporary.c_str(),
                 AT_SYMLINK_FOLLOW) != 0) {
      return failed(system_reason());
    }
    return {};
  }
  if (::chmod(temporary.c_str(), mode) != 0) return failed(system_reason());
  return sync(temporary);
}

Status replace(const fs::path& path, const Produce& produce, FileAccess access) {
  fs::path temporary = path;
  temporary += fmt::format(".tmp{}", ::getpid());
  std::error_code error;
  fs::remove(temporary, error);
  const mode_t mode = access == FileAccess::kOwnerOnly ? 0600 : mode_for(path);
  Status status = write_complete(temporary, mode, produce);
  if (status) {
    fs::rename(temporary, path, error);
    if (error) status = failed(error.message());
  }
  if (!status) {
    std::error_code ignored;
    fs::remove(temporary, ignored);
    return status;
  }
  return sync(folder_of(path));
}

}  // namespace

Status write_file_atomically(const fs::path& path, std::string_view contents) {
  return write_file_atomically(path, [&](std::ostream& out) -> Status {
    out.write(contents.data(), static_cast<std::streamsize>(contents.size()));
    return {};
  });
}

Status write_file_atomically(const fs::path& path, const Produce& produce, FileAccess access) {
  std::error_code error;
  // A link's target is what is meant; pipes and devices cannot be replaced, only written to.
  const fs::path target = fs::is_symlink(path, error) ? fs::weakly_canonical(path, error) : path;
  const fs::file_status there = fs::status(target, error);
  const bool special = fs::exists(there) && !fs::is_regular_file(there);
  if (const Status status =
          special ? write_to(target.string(), produce) : replace(target, produce, access);
      !status) {
    return tl::unexpected<Error>(
        {status.error().kind,
         fmt::format("cannot write {}: {}", path.string(), status.error().message)});
  }
  return {};
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
