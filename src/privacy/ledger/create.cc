#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "privacy/ledger/database_layout.h"
#include "privacy/ledger/hash.h"
#include "privacy/ledger/key_file.h"
#include "privacy/ledger/store.h"

namespace dpfermi::ledger {
namespace fs = std::filesystem;
namespace {

fs::path beside(fs::path path, const char* suffix) {
  path += suffix;
  return path;
}

/// One process at a time makes files in a folder: an advisory lock on the folder itself.
class FolderLock {
 public:
  static Result<FolderLock> take(const fs::path& folder) {
    FolderLock lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (lock.fd_ < 0 || ::flock(lock.fd_, LOCK_EX) != 0) {
      return failed(fmt::format("{}: {}; choose another folder with `ledger`", folder.string(),
                                std::strerror(errno)));
    }
    return lock;
  }
  FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FolderLock& operator=(FolderLock&&) = delete;
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() {
    if (fd_ >= 0) ::close(fd_);
  }

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_;
};

Status make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return failed(fmt::format("{}: {}; choose another folder with `ledger`", folder.string(),
                              error.message()));
  }
  return {};
}

Status write_schema(Database& database) {
  DPFERMI_TRY(database.run(fmt::format("PRAGMA application_id={}; PRAGMA user_version={}",
                                       kApplicationId, kSchemaVersion)
                               .c_str()));
  for (const char* sql : kSchema) DPFERMI_TRY(database.run(sql));
  return {};
}

Status move_into_place(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) return failed(fmt::format("{}: {}; check the disk", to.string(), error.message()));
  return sync_folder(to.parent_path());
}

}  // namespace

Status check_nothing_was_removed(const fs::path& path) {
  for (const fs::path& trace : {key_path(path), beside(path, "-journal")}) {
    std::error_code error;
    if (fs::exists(trace, error)) {
      return failed(
          fmt::format("{}: the ledger is gone but {} is still there; restore the ledger "
                      "from a backup, or remove that file to forget all spending",
                      path.string(), trace.filename().string()));
    }
  }
  return {};
}

Status create_ledger(const fs::path& path, const LedgerOptions& options) {
  DPFERMI_TRY(make_folder(path.parent_path()));
  DPFERMI_ASSIGN(const FolderLock lock, FolderLock::take(path.parent_path()));
  std::error_code error;
  if (fs::exists(path, error)) {
    // The process that made it may have died before the last step.
    return fs::exists(key_path(path), error) ? Status() : accept_key(path);
  }
  DPFERMI_TRY(check_nothing_was_removed(path));
  const fs::path fresh = beside(path, ".new");
  for (const fs::path& old : {fresh, beside(fresh, "-journal")}) fs::remove(old, error);

  DPFERMI_ASSIGN(const std::string key, make_pending_key(path));
  LedgerOpened opened;
  DPFERMI_ASSIGN(opened.key_id, key_id(key));
  DPFERMI_ASSIGN(opened.id, random_hex(16));
  {
    DPFERMI_ASSIGN(Database database, Database::open(fresh, true, options.patience));
    DPFERMI_TRY(write_schema(database));
    Store store(std::move(database), options);
    DPFERMI_TRY(store.append([&](Writer& writer) { return writer.add(opened); }));
  }
  DPFERMI_TRY(move_into_place(fresh, path));
  return accept_key(path);
}

}  // namespace dpfermi::ledger
