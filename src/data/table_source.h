#pragma once

/// Tables by address, wherever they lie.
///
///   people.csv, people.csv.gz, archive.zip/people.csv, -    delimited text
///   postgresql://user@host/database?table=people            a table with a primary key
///   postgresql://host/database?query=SELECT ... ORDER BY    what a query returns, in that order
///   people.parquet, folder/, 'people-*.parquet'             Parquet files, in the order of names
///   people.duckdb?table=people, people.duckdb?query=...     a DuckDB file
///
/// What is not text is read through a library that is loaded when it is needed (libpq, libduckdb).
/// Its records are those of a text file that holds the same values: a missing value is the empty
/// text, texts are trimmed.

#include <memory>
#include <string>
#include <vector>

#include "core/team.h"
#include "data/byte_source.h"
#include "data/csv_reader.h"
#include "data/record_reader.h"
#include "dpfermi/core/observer.h"
#include "dpfermi/core/result.h"

namespace dpfermi {

/// A table that a library reads for us, as often as it is wanted.
class RecordSource {
 public:
  virtual ~RecordSource() = default;

  /// The records from the first on. Until release() every reading sees the same rows where the
  /// source can promise that (a server's snapshot).
  virtual Result<std::unique_ptr<RecordReader>> read() = 0;

  /// Gives up what read() keeps between readings; the next one starts afresh.
  virtual void release() {}
};

/// The address of a table that is not text; null: it is text, or standard input. `observer` is
/// asked whether to go on while a server is waited for; null: never asked. It must outlive the
/// source.
/// The processes of `team`, each of which opens the same address, see one snapshot of a server in
/// their first reading.
Result<std::shared_ptr<RecordSource>> find_record_source(const std::string& address,
                                                         Observer* observer,
                                                         Team& team = Team::alone());

/// How a pack of encoded rows begins (artifact/table_pack.h).
inline constexpr const char* kPackMagic = "dpfermi-pack ";
bool is_pack_file(const std::string& path);

/// Whether the address names a server, so that it is not a file's path.
bool is_server_address(const std::string& address);

/// What people call the table: a path as it is, of a server or database the bare name of the table.
/// No host, user or query is part of it.
std::string table_title(const std::string& address);

/// A table that is ready to be read once: text whose format is still to be settled, or records.
class TableSource {
 public:
  TableSource(std::unique_ptr<ByteSource> text) : text_(std::move(text)) {}
  TableSource(std::unique_ptr<RecordReader> records) : records_(std::move(records)) {}

  bool is_text() const { return text_ != nullptr; }

  /// The records. `format` and `hint` are for text.
  Result<std::unique_ptr<RecordReader>> open(const CsvFormat& format, const HeaderHint& hint) &&;

 private:
  std::unique_ptr<ByteSource> text_;
  std::unique_ptr<RecordReader> records_;
};

Result<TableSource> open_table(const std::string& address, Observer* observer);

}  // namespace dpfermi
