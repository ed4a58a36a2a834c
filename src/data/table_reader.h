#pragma once

/// From files to a Table, in one pass.

#include <memory>
#include <string>
#include <vector>

#include "data/byte_source.h"
#include "data/table.h"
#include "dpfermi/core/result.h"

namespace dpfermi {

/// What a table is read for.
enum class TableUse {
  kFit,    ///< to train on: every column the schema says nothing about is a feature
  kApply,  ///< to use a model on: features are the columns the schema lists, others are ignored;
           ///< the columns to drop and, all together, the protected ones may be absent
};

struct TableRequest {
  std::vector<std::string> files;  ///< read one after the other; "-" is standard input
  Schema schema;
  TableUse use = TableUse::kFit;
};

/// Column types that the schema leaves open follow from the first rows: a column is numeric when
/// all of its present values there are numbers. A later value that breaks this is an error that
/// names the file, line and column. Nothing that this function reports depends on the values of s.
Result<Table> read_table(const TableRequest& request);

/// The same from sources that are already open.
Result<Table> read_table(std::vector<std::unique_ptr<ByteSource>> sources, const Schema& schema,
                         TableUse use = TableUse::kFit);

}  // namespace dpfermi
