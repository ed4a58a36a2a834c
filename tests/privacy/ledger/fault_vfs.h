#pragma once

/// A layer between SQLite and the system that makes the n-th change of a file go wrong: the process
/// is killed, the power fails, the disk is full, a sync reports an error. It is installed as the
/// default in a child process; the code under test does not know.

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace dpfermi::test {

enum class Fault {
  kKill,           ///< killed before the n-th change
  kTornWrite,      ///< killed when half of it is written
  kPowerCut,       ///< killed, and everything that was not synced is lost
  kPowerCutMixed,  ///< killed, and half of what was not synced is lost
  kFull,           ///< the disk is full from the n-th change on
  kFullOnce,       ///< and has space again for the next one
  kSyncError,      ///< the n-th change fails with an error of the disk
};

/// What is needed to undo a change that has not been synced.
struct Unsynced {
  std::string path;
  std::int64_t offset;
  std::string old_bytes;
  std::int64_t old_size;  ///< -1: the file did not exist
};

class FaultVfs {
 public:
  /// From now on every new connection of this process goes through here.
  static void install(Fault fault, int at) {
    FaultVfs& self = instance();
    self.fault_ = fault;
    self.at_ = at;
    self.root_ = sqlite3_vfs_find(nullptr);
    self.vfs_ = *self.root_;
    self.vfs_.zName = "fault";
    self.vfs_.szOsFile = static_cast<int>(sizeof(File)) + self.root_->szOsFile;
    self.vfs_.xOpen = &open;
    self.vfs_.xDelete = &remove;
    sqlite3_vfs_register(&self.vfs_, 1);
  }

  /// Loses what was not synced, as at the end of a run during which the power fails.
  static void cut_power() {
    FaultVfs& self = instance();
    std::mt19937 coin(static_cast<unsigned>(self.at_));
    while (!self.unsynced_.empty()) {
      const Unsynced change = std::move(self.unsynced_.back());
      self.unsynced_.pop_back();
      if (self.fault_ == Fault::kPowerCut || coin() % 2 == 0) undo(change);
    }
  }

  /// Whether the n-th change was reached.
  static bool happened() { return instance().count_ >= instance().at_; }

 private:
  struct File {
    sqlite3_file base;
    std::string* path;
    sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  };
  enum class Verdict { kGoOn, kHalf, kFull, kError };

  static FaultVfs& instance() {
    static FaultVfs vfs;
    return vfs;
  }
  static File* of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }

  [[noreturn]] static void die() {
    ::kill(::getpid(), SIGKILL);
    ::_exit(91);
  }

  static Verdict before_change() {
    FaultVfs& self = instance();
    ++self.count_;
    if (self.fault_ == Fault::kFull && self.count_ >= self.at_) return Verdict::kFull;
    if (self.count_ != self.at_) return Verdict::kGoOn;
    switch (self.fault_) {
      case Fault::kKill:
        die();
      case Fault::kTornWrite:
        return Verdict::kHalf;
      case Fault::kPowerCut:
      case Fault::kPowerCutMixed:
        cut_power();
        die();
      case Fault::kFull:
      case Fault::kFullOnce:
        return Verdict::kFull;
      case Fault::kSyncError:
        return Verdict::kError;
    }
    return Verdict::kGoOn;
  }

  static int failure(Verdict verdict, int io_error) {
    if (verdict == Verdict::kHalf) die();
    return verdict == Verdict::kFull ? SQLITE_FULL : io_error;
  }

  static void undo(const Unsynced& change) {
    if (change.old_size < 0) {
      ::unlink(change.path.c_str());
      return;
    }
    const int fd = ::open(change.path.c_str(), O_WRONLY | O_CREAT, 0644);
    const auto size = static_cast<ssize_t>(change.old_bytes.size());
    if (::pwrite(fd, change.old_bytes.data(), change.old_bytes.size(), change.offset) != size ||
        ::ftruncate(fd, change.old_size) != 0) {
      ::_exit(92);
    }
    ::close(fd);
  }

  /// Notes what bytes [offset, offset + amount) of the file are now.
  static void remember(File* file, std::int64_t offset, std::int64_t amount) {
    sqlite3_int64 size = 0;
    file->real()->pMethods->xFileSize(file->real(), &size);
    const std::int64_t present = std::clamp<std::int64_t>(size - offset, 0, amount);
    std::string bytes(static_cast<std::size_t>(present), '\0');
    if (present > 0) {
      file->real()->pMethods->xRead(file->real(), bytes.data(), static_cast<int>(present), offset);
    }
    instance().unsynced_.push_back({*file->path, offset, std::move(bytes), size});
  }

  static int open(sqlite3_vfs*, const char* name, sqlite3_file* base, int flags, int* out_flags) {
    FaultVfs& self = instance();
    File* file = of(base);
    file->base.pMethods = nullptr;
    const bool makes_file =
        name != nullptr && (flags & SQLITE_OPEN_CREATE) != 0 && ::access(name, F_OK) != 0;
    if (makes_file) {
      const Verdict verdict = before_change();
      if (verdict != Verdict::kGoOn) return failure(verdict, SQLITE_CANTOPEN);
    }
    const int code = self.root_->xOpen(self.root_, name, file->real(), flags, out_flags);
    if (code != SQLITE_OK) return code;
    file->path = new std::string(name != nullptr ? name : "");
    if (makes_file) self.unsynced_.push_back({*file->path, 0, "", -1});
    file->base.pMethods = methods();
    return SQLITE_OK;
  }

  static int remove(sqlite3_vfs*, const char* name, int sync_folder) {
    FaultVfs& self = instance();
    const Verdict verdict = before_change();
    if (verdict != Verdict::kGoOn) return failure(verdict, SQLITE_IOERR_DELETE);
    std::erase_if(self.unsynced_, [&](const Unsynced& change) { return change.path == name; });
    if (sync_folder == 0) {
      std::string bytes(1 << 20, '\0');
      const int fd = ::open(name, O_RDONLY);
      const ssize_t size = fd < 0 ? 0 : ::read(fd, bytes.data(), bytes.size());
      ::close(fd);
      bytes.resize(static_cast<std::size_t>(size));
      self.unsynced_.push_back({name, 0, bytes, size});
    }
    return self.root_->xDelete(self.root_, name, sync_folder);
  }

  static int close(sqlite3_file* file) {
    delete of(file)->path;
    return of(file)->real()->pMethods->xClose(of(file)->real());
  }
  static int read(sqlite3_file* file, void* out, int amount, sqlite3_int64 offset) {
    return of(file)->real()->pMethods->xRead(of(file)->real(), out, amount, offset);
  }
  static int write(sqlite3_file* base, const void* bytes, int amount, sqlite3_int64 offset) {
    File* file = of(base);
    const Verdict verdict = before_change();
    remember(file, offset, amount);
    const int written = verdict == Verdict::kGoOn ? amount : amount / 2;
    const int code = file->real()->pMethods->xWrite(file->real(), bytes, written, offset);
    return verdict == Verdict::kGoOn ? code : failure(verdict, SQLITE_IOERR_WRITE);
  }
  static int truncate(sqlite3_file* base, sqlite3_int64 size) {
    File* file = of(base);
    const Verdict verdict = before_change();
    if (verdict != Verdict::kGoOn) return failure(verdict, SQLITE_IOERR_TRUNCATE);
    remember(file, size, 1 << 30);
    return file->real()->pMethods->xTruncate(file->real(), size);
  }
  static int sync(sqlite3_file* base, int flags) {
    File* file = of(base);
    const Verdict verdict = before_change();
    if (verdict != Verdict::kGoOn) return failure(verdict, SQLITE_IOERR_FSYNC);
    std::erase_if(instance().unsynced_,
                  [&](const Unsynced& change) { return change.path == *file->path; });
    return file->real()->pMethods->xSync(file->real(), flags);
  }
  static int size(sqlite3_file* file, sqlite3_int64* out) {
    return of(file)->real()->pMethods->xFileSize(of(file)->real(), out);
  }
  static int lock(sqlite3_file* file, int level) {
    return of(file)->real()->pMethods->xLock(of(file)->real(), level);
  }
  static int unlock(sqlite3_file* file, int level) {
    return of(file)->real()->pMethods->xUnlock(of(file)->real(), level);
  }
  static int is_reserved(sqlite3_file* file, int* out) {
    return of(file)->real()->pMethods->xCheckReservedLock(of(file)->real(), out);
  }
  static int control(sqlite3_file* file, int operation, void* argument) {
    return of(file)->real()->pMethods->xFileControl(of(file)->real(), operation, argument);
  }
  static int sector_size(sqlite3_file* file) {
    return of(file)->real()->pMethods->xSectorSize(of(file)->real());
  }
  static int traits(sqlite3_file* file) {
    return of(file)->real()->pMethods->xDeviceCharacteristics(of(file)->real());
  }

  static const sqlite3_io_methods* methods() {
    static const sqlite3_io_methods table = [] {
      sqlite3_io_methods m = {};
      m.iVersion = 1;
      m.xClose = &close;
      m.xRead = &read;
      m.xWrite = &write;
      m.xTruncate = &truncate;
      m.xSync = &sync;
      m.xFileSize = &size;
      m.xLock = &lock;
      m.xUnlock = &unlock;
      m.xCheckReservedLock = &is_reserved;
      m.xFileControl = &control;
      m.xSectorSize = &sector_size;
      m.xDeviceCharacteristics = &traits;
      return m;
    }();
    return &table;
  }

  Fault fault_ = Fault::kKill;
  int at_ = 0;
  int count_ = 0;
  sqlite3_vfs* root_ = nullptr;
  sqlite3_vfs vfs_ = {};
  std::vector<Unsynced> unsynced_;
};

}  // namespace dpfermi::test
