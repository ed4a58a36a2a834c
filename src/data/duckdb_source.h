#pragma once

/// Parquet files and tables of DuckDB files, by libduckdb. Rows come as they lie, file after file.
/// The library is loaded when it is needed: the file that $DPFERMI_DUCKDB names, or libduckdb.so
/// where the system looks for libraries. It is told to install nothing and to load no extension.

#include <memory>
#include <string>
#include <vector>

#include "data/table_address.h"
#include "data/table_source.h"

namespace dpfermi {

/// Files with the same columns, one after the other. `title` is how messages call them.
Result<std::shared_ptr<RecordSource>> open_parquet(const std::vector<std::string>& files,
                                                   const std::string& title);

/// A table, or what a query with ORDER BY returns, of a DuckDB file, which is opened to be read.
Result<std::shared_ptr<RecordSource>> open_duckdb(const TableAddress& address,
                                                  const std::string& title);

}  // namespace dpfermi
