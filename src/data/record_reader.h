#pragma once

/// Records one after the other, whatever they come from: a text file or columns in memory.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dpfermi/core/result.h"

namespace dpfermi {

class RecordReader {
 public:
  virtual ~RecordReader() = default;

  /// One name per column.
  virtual const std::vector<std::string>& names() const = 0;

  /// How messages call the table.
  virtual const std::string& source_name() const = 0;

  /// Whether this reader itself decided that the first record is a row.
  virtual bool guessed_no_header() const { return false; }

  /// Reads the next record; false at the end. Every record has names().size() fields.
  virtual Result<bool> next() = 0;

  /// The fields of the current record; valid until the next call of next().
  virtual const std::vector<std::string_view>& fields() const = 0;

  /// Where the current record is, as error_at() takes it.
  virtual std::uint64_t position() const = 0;

  /// `error`, which begins with a column, and the record it is about: "people.csv, line 7, ...".
  virtual Error error_at(std::uint64_t position, const Error& error) const = 0;
};

}  // namespace dpfermi
