#pragma once

/// From files to a Table, in one pass.

#include <memory>
#include <string>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/data/byte_source.h"
#include "dpfermi/data/table.h"

namespace dpfermi {

struct TableRequest {
  std::vector<std::string> files;  ///< read one after the other; "-" is standard input
  Schema schema;
  Adjacency adjacency = Adjacency::kSensitive;
  std::string sensitive_file;  ///< the file that holds the protected columns, if not `files`
  std::string join;            ///< the column that both files share
};

/// Column types that the schema leaves open follow from the first rows: a column is numeric when
/// all of its present values there are numbers. A later value that breaks this is an error that
/// names the file, line and column. Nothing that this function reports depends on the values of s.
Result<Table> read_table(const TableRequest& request);

/// The same from sources that are already open (none for the protected columns).
Result<Table> read_table(std::vector<std::unique_ptr<ByteSource>> sources, const Schema& schema,
                         Adjacency adjacency);

}  // namespace dpfermi
