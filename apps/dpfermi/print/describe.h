#pragma once

/// What a table holds, for people and as JSON. Reads s only where asked to, and says so.

#include <string>

#include "data/table.h"
#include "data/table_profile.h"
#include "flags/table_options.h"
#include "preprocess/pipeline.h"

namespace dpfermi::cli {

struct TableReport {
  TableChoice choice;
  Table table;
  Pipeline pipeline;  ///< fitted on all rows
  TableProfile profile;
  bool exact_groups = false;  ///< the holder asked for group sizes
};

/// Reads and encodes the chosen table.
Result<TableReport> report_table(TableChoice choice);

std::string to_text(const TableReport& report);

/// {"title", "rows", ..., "schema": {...}}: `--schema` reads it back.
std::string to_json(const TableReport& report);

}  // namespace dpfermi::cli
