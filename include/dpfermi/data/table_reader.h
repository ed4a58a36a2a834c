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
};

/// Column types that the schema leaves open follow from the first rows: a column is numeric when
/// all of its present values there are numbers. A later value that breaks this is an error that
/// names the file, line and column. Nothing that this function reports depends on the values of s.
Result<Table> read_table(const TableRequest& request);

/// The same from sources that are already open.
Result<Table> read_table(std::vector<std::unique_ptr<ByteSource>> sources, const Schema& schema);

}  // namespace dpfermi
