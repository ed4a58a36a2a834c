#include "privacy/ledger/sqlite.h"

#include <fmt/format.h>

namespace dpfermi::ledger {

Statement& Statement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(handle_.get(), index, value);
  return *this;
}

Statement& Statement::bind(int index, std::string_view text) {
  sqlite3_bind_text64(handle_.get(), index, text.data(), text.size(), SQLITE_TRANSIENT,
                      SQLITE_UTF8);
  return *this;
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return tl::unexpected(database_->error(code));
}

std::string Statement::text(int column) const {
  const unsigned char* bytes = sqlite3_column_text(handle_.get(), column);
  if (bytes == nullptr) return {};
  const int size = sqlite3_column_bytes(handle_.get(), column);
  return {reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size)};
}

Result<Database> Database::open(const std::filesystem::path& path, bool create,
                                std::chrono::milliseconds patience) {
  sqlite3* handle = nullptr;
  const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_FULLMUTEX |
                    (create ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(path.c_str(), &handle, flags, nullptr);
  Database database(path, patience, handle);
  if (code != SQLITE_OK) return tl::unexpected(database.error(code));
  DPFERMI_TRY(database.configure());
  return database;
}

Status Database::check_process() const {
  if (handle_.get_deleter().guard.in_same_process()) return {};
  return failed(
      fmt::format("{}: the ledger was opened before the process forked; open it again in the child",
                  path_.string()));
}

Status Database::configure() {
  sqlite3_busy_timeout(handle_.get(), static_cast<int>(patience_.count()));
  sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_.get(), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  DPFERMI_TRY(run("PRAGMA cell_size_check=ON"));
  // One file holds all that was committed, so that no copy of it can miss a part (as it could a
  // WAL). EXTRA also syncs the folder after the journal is deleted: without that a power cut could
  // bring the journal back and undo a charge that was granted.
  DPFERMI_ASSIGN(const std::string mode, single_text("PRAGMA journal_mode=DELETE"));
  if (mode != "delete") {
    return failed(
        fmt::format("{}: cannot use a rollback journal (SQLite says '{}'); close other "
                    "programs that have the file open",
                    path_.string(), mode));
  }
  return run("PRAGMA synchronous=EXTRA");
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* handle = nullptr;
  const int code =
      sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &handle, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(error(code));
  return Statement(this, handle);
}

Status Database::run(const char* sql) {
  const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(error(code));
  return {};
}

Result<std::string> Database::single_text(std::string_view sql) {
  DPFERMI_ASSIGN(Statement statement, prepare(sql));
  DPFERMI_ASSIGN(const bool found, statement.step());
  return found ? statement.text(0) : std::string();
}

bool Database::has_moved() const {
  int moved = 0;
  const int code = sqlite3_file_control(handle_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return code == SQLITE_OK && moved != 0;
}

Error Database::error(int code) const {
  const auto say = [&](const std::string& what) {
    return Error{ErrorKind::kFailed, fmt::format("{}: {}", path_.string(), what)};
  };
  switch (code & 0xFF) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return say(
          fmt::format("another process has kept the ledger locked for {:g} s; try again when "
                      "it is done",
                      static_cast<double>(patience_.count()) / 1000));
    case SQLITE_FULL:
      return say("the disk is full, so the charge was not granted; free some space");
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return say("cannot write the ledger here; check the permissions of the file and its folder");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return say("not a ledger, or damaged; restore it from a backup");
    default:
      return say(fmt::format("{} (SQLite code {}); nothing was granted, check the disk",
                             handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code), code));
  }
}

Result<Transaction> Transaction::begin(Database& database, bool write) {
  DPFERMI_TRY(database.run(write ? "BEGIN IMMEDIATE" : "BEGIN"));
  return Transaction(database);
}

Transaction::~Transaction() {
  // A failed rollback leaves a hot journal, which the next reader rolls back.
  if (database_ != nullptr && database_->in_transaction()) (void)database_->run("ROLLBACK");
}

Status Transaction::commit() {
  return database_->run("COMMIT");
}

}  // namespace dpfermi::ledger
