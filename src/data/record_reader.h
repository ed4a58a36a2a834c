#pragma once

/// Records one after the other, whatever they come from: a text file, columns in memory, a server.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dpfermi/core/result.h"

namespace dpfermi {

class BlockReader;

/// What is known of a column before its first row.
enum class ColumnKind {
  kOpen,    ///< texts; the first rows tell whether they are numbers
  kNumber,  ///< numbers and missing values, whatever the rows hold
  kText,    ///< texts, even if they look like numbers
};

class RecordReader {
 public:
  virtual ~RecordReader() = default;

  /// One name per column.
  virtual const std::vector<std::string>& names() const = 0;

  /// How messages call the table.
  virtual const std::string& source_name() const = 0;

  /// One per column.
  virtual std::vector<ColumnKind> kinds() const {
    return std::vector<ColumnKind>(names().size(), ColumnKind::kOpen);
  }

  /// The columns that the reader itself has ordered the rows by; none: rows come as they lie.
  virtual std::vector<std::string> ordered_by() const { return {}; }

  /// Whether this reader itself decided that the first record is a row.
  virtual bool guessed_no_header() const { return false; }

  /// About how many records there are, where `seen` of them took `bytes`; 0: unknown.
  virtual std::size_t estimated_rows(std::size_t /*seen*/, std::size_t /*bytes*/) const {
    return 0;
  }

  /// Reads the next record; false at the end. Every record has names().size() fields.
  virtual Result<bool> next() = 0;

  /// The fields of the current record; valid until the next call of next().
  virtual const std::vector<std::string_view>& fields() const = 0;

  /// This reader as one of blocks, where its records lie column by column; null: they do not.
  virtual BlockReader* blocks() { return nullptr; }

  /// Where the current record is, as place() takes it.
  virtual std::uint64_t position() const = 0;

  /// "people.csv, line 7".
  virtual std::string place(std::uint64_t position) const = 0;

  /// `error`, which begins with a column, and the record it is about: "people.csv, line 7, ...".
  Error error_at(std::uint64_t position, const Error& error) const {
    return {error.kind, place(position) + ", " + error.message};
  }

  /// "people.csv, line 7: message".
  Error error_here(std::string_view message) const {
    return {ErrorKind::kFailed, place(position()) + ": " + std::string(message)};
  }
};

}  // namespace dpfermi
