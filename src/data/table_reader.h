#pragma once

/// From files to a Table, in one pass.

#include <memory>
#include <string>
#include <vector>

#include "data/byte_source.h"
#include "data/memory_table.h"
#include "data/table.h"
#include "dpfermi/core/result.h"

namespace dpfermi {

/// What a table is read for.
enum class TableUse {
  kFit,       ///< to train on: every column the schema says nothing about is a feature
  kApply,     ///< to use a model on: features are the columns the schema lists, others are ignored;
              ///< the columns to drop and, all together, the protected ones may be absent
  kDescribe,  ///< to show to its holder: as kFit, and undeclared groups are those of the table
};

struct TableRequest {
  std::vector<std::string> files;             ///< read one after the other; "-" is standard input
  std::shared_ptr<const MemoryTable> memory;  ///< in place of files
  Schema schema;
  TableUse use = TableUse::kFit;
};

/// Column types that the schema leaves open follow from the first rows: a column is numeric when
/// all of its present values there are numbers. A later value that breaks this is an error that
/// names the file, line and column. Nothing that this function reports depends on the values of s.
Result<Table> read_table(const TableRequest& request);

/// The same from sources that are already open. `sensitive`: the file that holds the protected
/// columns, where the schema names one; null: read_table opens it.
Result<Table> read_table(std::vector<std::unique_ptr<ByteSource>> sources, const Schema& schema,
                         TableUse use = TableUse::kFit,
                         std::unique_ptr<ByteSource> sensitive = nullptr);

/// The same from columns in memory, whose types are known. The empty text stands for a missing
/// value there, whatever else does.
Result<Table> read_table(const MemoryTable& memory, const Schema& schema,
                         TableUse use = TableUse::kFit,
                         std::unique_ptr<ByteSource> sensitive = nullptr);

}  // namespace dpfermi
