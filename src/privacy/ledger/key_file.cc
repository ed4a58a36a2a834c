#include "privacy/ledger/key_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "core/file.h"
#include "core/text.h"
#include "privacy/ledger/hash.h"

namespace dpfermi::ledger {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr mode_t kOwnerOnly = S_IRUSR | S_IWUSR;

fs::path pending_path(const fs::path& ledger) {
  fs::path path = key_path(ledger);
  path += ".pending";
  return path;
}

tl::unexpected<Error> system_error(const fs::path& path) {
  return failed(
      fmt::format("{}: {}; check the folder of the ledger", path.string(), std::strerror(errno)));
}

Status write_secret(const fs::path& path, const std::string& text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kOwnerOnly);
  if (fd < 0) return system_error(path);
  const bool written = ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       ::fsync(fd) == 0;
  const int reason = errno;
  ::close(fd);
  errno = reason;
  if (!written) return system_error(path);
  return {};
}

}  // namespace

fs::path key_path(const fs::path& ledger) {
  fs::path path = ledger;
  path += ".key";
  return path;
}

Result<std::string> key_id(const std::string& key) {
  return hmac_sha256(key, "dpfermi ledger key");
}

Result<std::string> read_secret(const fs::path& path, std::size_t bytes, std::string_view advice) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    return failed(fmt::format("{}: {}; {}", path.string(), std::strerror(errno), advice));
  }
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return failed(
        fmt::format("{}: others can read this key; run 'chmod 600' on it", path.string()));
  }
  DPFERMI_ASSIGN(const std::string text, read_text_file(path));
  const std::string_view hex = std::string_view(text).substr(0, text.find('\n'));
  if (hex.size() != 2 * bytes || !is_hex(hex)) {
    return failed(fmt::format("{}: not a ledger key; restore it from a backup", path.string()));
  }
  return from_hex(hex);
}

Status write_new_secret(const fs::path& path, const std::string& text) {
  DPFERMI_TRY(write_secret(path, text));
  return sync_folder(fs::absolute(path).parent_path());
}

Result<std::string> read_key(const fs::path& ledger, const std::string& expected_id) {
  const fs::path path = key_path(ledger);
  DPFERMI_ASSIGN(std::string key,
                 read_secret(path, kKeyBytes, "restore the key that belongs to the ledger"));
  DPFERMI_ASSIGN(const std::string id, key_id(key));
  if (id != expected_id) {
    return failed(
        fmt::format("{}: not the key of this ledger; restore the one that is", path.string()));
  }
  return key;
}

Result<std::string> make_pending_key(const fs::path& ledger) {
  DPFERMI_ASSIGN(const std::string hex, random_hex(kKeyBytes));
  ::unlink(pending_path(ledger).c_str());
  DPFERMI_TRY(write_secret(pending_path(ledger), hex + "\n"));
  return from_hex(hex);
}

Status accept_key(const fs::path& ledger) {
  if (::rename(pending_path(ledger).c_str(), key_path(ledger).c_str()) != 0 && errno != ENOENT) {
    return system_error(key_path(ledger));
  }
  return sync_folder(ledger.parent_path());
}

Status sync_folder(const fs::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return system_error(folder);
  const int outcome = ::fsync(fd);
  const int reason = errno;
  ::close(fd);
  errno = reason;
  if (outcome != 0) return system_error(folder);
  return {};
}

}  // namespace dpfermi::ledger
