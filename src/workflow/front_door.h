#pragma once

/// What the front door has in common with its neighbours.

#include "data/table_choice.h"
#include "dpfermi/dpfermi.h"

namespace dpfermi {

/// The table that load() reads.
Result<TableChoice> table_choice(const std::string& path, const LoadOptions& options);

/// Columns in memory, as load(), load_for() and predict() below take them.
TableChoice memory_choice(MemoryTable table);

/// The functions of dpfermi.h on a table that need not be a file. load() sets its schema.
Result<LoadedTable> load(TableChoice choice, const LoadOptions& options);
Result<EvaluationTable> load_for(const Model& model, TableChoice choice, bool held_out);
Result<Predictions> predict(const Model& model, TableChoice choice);

}  // namespace dpfermi
