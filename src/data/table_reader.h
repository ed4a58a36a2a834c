#pragma once

/// From a table, wherever it lies, to a Table, in one pass.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/byte_source.h"
#include "data/memory_table.h"
#include "data/table.h"
#include "data/table_source.h"
#include "dpfermi/core/result.h"

namespace dpfermi {

/// What a table is read for.
enum class TableUse {
  kFit,       ///< to train on: every column the schema says nothing about is a feature
  kApply,     ///< to use a model on: features are the columns the schema lists, others are ignored;
              ///< the columns to drop and, all together, the protected ones may be absent
  kDescribe,  ///< to show to its holder: as kFit, and undeclared groups are those of the table
};

/// The columns of the table that a schema names.
std::vector<std::string> named_columns(const Schema& schema);

struct TableRequest {
  std::vector<std::string> files;             ///< addresses (TableSource), one after the other
  std::shared_ptr<const MemoryTable> memory;  ///< instead of files
  Schema schema;
  TableUse use = TableUse::kFit;
  Observer* observer = nullptr;  ///< asked whether to go on while a server is waited for
};

/// Column types that the schema leaves open follow from the first rows: a column is numeric when
/// all of its present values there are numbers. A later value that breaks this is an error that
/// names the file, line and column. Nothing that this function reports depends on the values of s.
Result<Table> read_table(const TableRequest& request);

/// The same from sources that are already open. `sensitive`: the table that holds the protected
/// columns, where the schema names one; nothing: read_table opens it.
Result<Table> read_table(std::vector<TableSource> sources, const Schema& schema,
                         TableUse use = TableUse::kFit,
                         std::optional<TableSource> sensitive = std::nullopt,
                         Observer* observer = nullptr);

/// The same from texts.
Result<Table> read_table(std::vector<std::unique_ptr<ByteSource>> texts, const Schema& schema,
                         TableUse use = TableUse::kFit);

/// The same from columns in memory, whose types are known. The empty text stands for a missing
/// value there, whatever else does; so it does in every table that is not text.
Result<Table> read_table(const MemoryTable& memory, const Schema& schema,
                         TableUse use = TableUse::kFit,
                         std::optional<TableSource> sensitive = std::nullopt);

/// The names of a table's columns, in order, as read_table would find them.
Result<std::vector<std::string>> read_column_names(const TableRequest& request);

}  // namespace dpfermi
