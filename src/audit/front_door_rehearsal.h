#pragma once

/// A table of synthetic records at the front door: train, sketch and evaluate, watched from inside.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/rehearsal.h"
#include "dpfermi/data/schema.h"

namespace dpfermi {

/// Records as a file has them, with everything declared that could reveal a record.
struct InventedTable {
  std::string text;
  Schema schema;
};

/// Requires synthetic records. `undeclared`: a unit whose group is written as a text that was not
/// declared; nothing: none.
InventedTable table_of(const AuditCase& audited, const Dataset& data,
                       std::optional<std::uint32_t> undeclared = std::nullopt);

/// Reads the table, splits and encodes it as usual, trains the case's method on all rows, makes a
/// sketch where features are public, and evaluates the model privately. An error of a step is part
/// of what a recipient sees.
Result<Rehearsal> rehearse_front_door(const AuditCase& audited, const InventedTable& table,
                                      std::uint64_t seed, ReleaseTap& tap);

}  // namespace dpfermi
