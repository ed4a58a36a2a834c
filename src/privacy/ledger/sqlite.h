#pragma once

/// SQLite handles that close themselves, and its error codes as our errors. Every error names the
/// file and ends with what to do.

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "dpfermi/core/result.h"
#include "dpfermi/random/key.h"

namespace dpfermi::ledger {

/// Closes in the process that opened. A forked child must not touch the connection at all, not even
/// to close it (https://sqlite.org/howtocorrupt.html, 2.6): there it is left alone.
struct CloseDatabase {
  void operator()(sqlite3* database) const {
    if (guard.in_same_process()) sqlite3_close_v2(database);
  }
  ForkGuard guard = {};
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};

class Database;

/// A prepared statement. It belongs to one Database, which must outlive it.
class Statement {
 public:
  Statement& bind(int index, std::int64_t value);
  Statement& bind(int index, std::string_view text);

  /// True when there is a row to read, false at the end.
  Result<bool> step();

  std::int64_t integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  std::string text(int column) const;

 private:
  friend class Database;
  Statement(Database* database, sqlite3_stmt* handle) : database_(database), handle_(handle) {}

  Database* database_;
  std::unique_ptr<sqlite3_stmt, FinalizeStatement> handle_;
};

class Database {
 public:
  /// Opens an existing file (or creates one with `create`) and makes commits durable: rollback
  /// journal, synchronous=EXTRA.
  static Result<Database> open(const std::filesystem::path& path, bool create,
                               std::chrono::milliseconds patience);

  Result<Statement> prepare(std::string_view sql);
  /// Statements without results or parameters.
  Status run(const char* sql);
  /// The first column of the only row.
  Result<std::string> single_text(std::string_view sql);

  /// Refused in a forked child.
  Status check_process() const;

  /// Whether a transaction is under way.
  bool in_transaction() const { return sqlite3_get_autocommit(handle_.get()) == 0; }
  /// Whether the file was renamed, replaced or removed since it was opened: what is written now
  /// would be written to a file that is never read.
  bool has_moved() const;

  /// The error of SQLite's result code `code`.
  Error error(int code) const;
  const std::filesystem::path& path() const { return path_; }

 private:
  Database(std::filesystem::path path, std::chrono::milliseconds patience, sqlite3* handle)
      : path_(std::move(path)), patience_(patience), handle_(handle) {}
  Status configure();

  std::filesystem::path path_;
  std::chrono::milliseconds patience_;
  std::unique_ptr<sqlite3, CloseDatabase> handle_;
};

/// A transaction that is rolled back unless committed.
class Transaction {
 public:
  /// `write` takes the file's only write lock at once: what is read next stays true until commit.
  static Result<Transaction> begin(Database& database, bool write);
  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  /// After an error the transaction may or may not be on disk; it has not been granted.
  Status commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}
  Database* database_;
};

}  // namespace dpfermi::ledger
